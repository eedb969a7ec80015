-------------------------------- MODULE Json --------------------------------
(* JSON to and from values: objects are records, arrays are sequences (written from sets as *)
(* well). Everything here is native.                                                        *)
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE TLC

LOCAL Native == CHOOSE meaning : TRUE

ToJson(value) == Native["ToJson"][value]
ToJsonArray(value) == Native["ToJsonArray"][value]
ToJsonObject(value) == Native["ToJsonObject"][value]

JsonSerialize(absoluteFilename, value) == Native["JsonSerialize"][absoluteFilename, value]
JsonDeserialize(absoluteFilename) == Native["JsonDeserialize"][absoluteFilename]

(* One element of the sequence, one line of the file. *)
ndJsonSerialize(absoluteFilename, value) == Native["ndJsonSerialize"][absoluteFilename, value]
ndJsonDeserialize(absoluteFilename) == Native["ndJsonDeserialize"][absoluteFilename]
=============================================================================
