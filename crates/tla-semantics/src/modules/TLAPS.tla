-------------------------------- MODULE TLAPS --------------------------------
(* Names that a proof gives to its back ends. Each is a true fact that says nothing; the suffix T is *)
(* for those that take a time limit, M for those that take a tactic.                                 *)

-----------------------------------------------------------------------------
(* Decision procedures *)

SimpleArithmetic == TRUE
SMT == TRUE
SMTT(X) == TRUE
CVC3 == TRUE
CVC3T(X) == TRUE
CVC4 == TRUE
CVC4T(X) == TRUE
Yices == TRUE
YicesT(X) == TRUE
veriT == TRUE
veriTT(X) == TRUE
Z3 == TRUE
Z3T(X) == TRUE
AllSMT == TRUE
AllSMTT(X) == TRUE

-----------------------------------------------------------------------------
(* First-order and temporal provers *)

Spass == TRUE
SpassT(X) == TRUE
Zipper == TRUE
ZipperT(X) == TRUE
LS4 == TRUE
LS4T(X) == TRUE
PTL == TRUE
Zenon == TRUE
ZenonT(X) == TRUE
SlowZenon == TRUE
SlowerZenon == TRUE
VerySlowZenon == TRUE
SlowestZenon == TRUE
AllProvers == TRUE
AllProversT(X) == TRUE

-----------------------------------------------------------------------------
(* Isabelle and its tactics *)

Isa == TRUE
IsaT(X) == TRUE
IsaM(X) == TRUE
IsaMT(X, Y) == TRUE
IsaWithSetExtensionality == TRUE
AllIsa == TRUE
AllIsaT(X) == TRUE
Auto == TRUE
SlowAuto == TRUE
SlowerAuto == TRUE
SlowestAuto == TRUE
Force == TRUE
SlowForce == TRUE
SlowerForce == TRUE
SlowestForce == TRUE
SimplifyAndSolve == TRUE
SlowSimplifyAndSolve == TRUE
SlowerSimplifyAndSolve == TRUE
SlowestSimplifyAndSolve == TRUE
Simplification == TRUE
SlowSimplification == TRUE
SlowerSimplification == TRUE
SlowestSimplification == TRUE
Blast == TRUE
SlowBlast == TRUE
SlowerBlast == TRUE
SlowestBlast == TRUE
AutoBlast == TRUE

-----------------------------------------------------------------------------
(* What the proof manager does before it calls a back end *)

ExpandENABLED == TRUE
ExpandCdot == TRUE
AutoUSE == TRUE
Lambdify == TRUE
ENABLEDaxioms == TRUE
LevelComparison == TRUE
Trivial == TRUE
EnabledWrapper(Op(_)) == FALSE
CdotWrapper(Op(_)) == FALSE
==============================================================================
