------------------------------- MODULE Option -------------------------------
(* Values that may be missing, as variants of Apalache. *)
EXTENDS Apalache, Variants

Some(__x) == Variant("Some", __x)
None == Variant("None", UNIT)

IsSome(__o) == VariantTag(__o) = "Some"
IsNone(__o) == VariantTag(__o) = "None"

OptionCase(__o, __caseSome(_), __caseNone(_)) ==
    IF IsSome(__o) THEN __caseSome(VariantGetUnsafe("Some", __o)) ELSE __caseNone(UNIT)

OptionFlatMap(__f(_), __o) == OptionCase(__o, __f, LAMBDA __unit : None)
OptionMap(__f(_), __o) == OptionFlatMap(LAMBDA __x : Some(__f(__x)), __o)

OptionGetOrElse(__o, __default) == OptionCase(__o, LAMBDA __x : __x, LAMBDA __unit : __default)
OptionToSeq(__o) == OptionCase(__o, LAMBDA __x : <<__x>>, LAMBDA __unit : <<>>)
OptionToSet(__o) == OptionCase(__o, LAMBDA __x : {__x}, LAMBDA __unit : {})

(* Some element of the set, if there is one. *)
OptionGuess(__s) == IF __s = {} THEN None ELSE Some(Guess(__s))

OptionFunApp(__f, __o) == OptionMap(LAMBDA __x : __f[__x], __o)

(* __f with None added as the value everywhere in __undefined. *)
OptionPartialFun(__f, __undefined) ==
    [__x \in DOMAIN __f \cup __undefined |-> IF __x \in __undefined THEN None ELSE Some(__f[__x])]
=============================================================================
