-------------------------------- MODULE CSV --------------------------------
(* Files of delimited lines. Everything here is native. *)
LOCAL INSTANCE TLC
LOCAL INSTANCE Integers

LOCAL Native == CHOOSE meaning : TRUE

(* Equals TRUE, having appended one line: template with the elements of the sequence val filled in. *)
CSVWrite(template, val, file) == Native["CSVWrite"][template, val, file]

(* Equals TRUE, having appended the fields of record, after their names if headers is TRUE. *)
CSVWriteRecord(record, delim, headers, file) == Native["CSVWriteRecord"][record, delim, headers, file]

(* A sequence of records, one for each line, whose fields (strings) are named by columns. *)
CSVRead(columns, delimiter, file) == Native["CSVRead"][columns, delimiter, file]

(* The number of lines; 0 when there is no such file. *)
CSVRecords(file) == Native["CSVRecords"][file]
=============================================================================
