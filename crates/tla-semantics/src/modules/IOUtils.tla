------------------------------ MODULE IOUtils ------------------------------
(* Files, processes and the environment. Native, but for zeroPadN. *)
LOCAL INSTANCE TLC
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE SequencesExt

LOCAL Native == CHOOSE meaning : TRUE

IOSerialize(val, absoluteFilename, compress) == Native["IOSerialize"][val, absoluteFilename, compress]
IODeserialize(absoluteFilename, compressed) == Native["IODeserialize"][absoluteFilename, compressed]

(* options.format names the serializer. *)
Serialize(value, dest, options) == Native["Serialize"][value, dest, options]
Deserialize(src, options) == Native["Deserialize"][src, options]

(* Each equals a record of exitValue, stdout and stderr. A template has places such as %s and %1$s, *)
(* which parameters fill.                                                                           *)
IOExec(command) == Native["IOExec"][command]
IOEnvExec(env, command) == Native["IOEnvExec"][env, command]
IOExecTemplate(commandTemplate, parameters) == Native["IOExecTemplate"][commandTemplate, parameters]
IOEnvExecTemplate(env, commandTemplate, parameters) ==
    Native["IOEnvExecTemplate"][env, commandTemplate, parameters]

(* The environment variables, as a record. *)
IOEnv == Native["IOEnv"]

(* The number that str spells. *)
atoi(str) == Native["atoi"][str]

(* n in decimal, filled up with zeros on the left to at least width characters. *)
zeroPadN(n, width) ==
    LET digits == ToString(n)
    IN  FoldLeft(LAMBDA text, i : "0" \o text, digits, [i \in 1..(width - Len(digits)) |-> i])
=============================================================================
