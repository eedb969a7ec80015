------------------------------ MODULE Variants ------------------------------
(* Tagged values of Apalache: functions from one tag to one value. *)

UNIT == "U_OF_UNIT"

Variant(__tagName, __value) == [__tag \in {__tagName} |-> __value]

(* The values in __S that carry the tag, without it. *)
VariantFilter(__tagName, __S) ==
    {__v[__tagName] : __v \in {__u \in __S : __tagName \in DOMAIN __u}}

VariantTag(__variant) == CHOOSE __tag \in DOMAIN __variant : TRUE

VariantGetUnsafe(__tagName, __variant) == __variant[__tagName]

VariantGetOrElse(__tagName, __variant, __defaultValue) ==
    IF __tagName \in DOMAIN __variant THEN __variant[__tagName] ELSE __defaultValue
=============================================================================
