------------------------------- MODULE TLCExt -------------------------------
(* More ways to talk to the model checker. Native, but for AssertEq and TLCGetAndSet. *)
LOCAL INSTANCE TLC
LOCAL INSTANCE Integers

LOCAL Native == CHOOSE meaning : TRUE

(* Whether a and b are equal; says what they are when they are not. *)
AssertEq(a, b) ==
    \/ a = b
    \/ /\ PrintT("Assertion failed")
       /\ PrintT(a)
       /\ PrintT(b)
       /\ FALSE

(* Whether evaluating exp fails with the message err. *)
AssertError(err, exp) == Native["AssertError"][err, exp]

TLCGetOrDefault(key, defaultVal) == Native["TLCGetOrDefault"][key, defaultVal]

(* The old value of the register. It is bound, not named, so that it is read before the write. *)
TLCGetAndSet(key, Op(_, _), val, defaultVal) ==
    CHOOSE old \in {TLCGetOrDefault(key, defaultVal)} : TLCSet(key, Op(old, val))

(* The states from an initial state to the current one, as records. *)
Trace == Native["Trace"]

(* A record of the states and steps of the counterexample, and its states alone. *)
CounterExample == Native["CounterExample"]
ToTrace(CE) == Native["ToTrace"][CE]

(* The model value of that name; new names are admitted before exploration only. *)
TLCModelValue(str) == Native["TLCModelValue"][str]

(* Equals TRUE; expression is evaluated once the state it belongs to is accepted. *)
TLCDefer(expression) == Native["TLCDefer"][expression]

TLCNoOp(val) == val

(* Asks a person which successor to take where exp is FALSE. *)
PickSuccessor(exp) == IF exp THEN TRUE ELSE Native["PickSuccessor"]

(* Evaluated once for each value of closure. *)
TLCCache(expression, closure) == expression

(* The fingerprint of a value. *)
TLCFP(var) == Native["TLCFP"][var]

(* The value of the definition of that name. *)
TLCEvalDefinition(definitionName) == Native["TLCEvalDefinition"][definitionName]
=============================================================================
