---- MODULE Sequences ----
LOCAL INSTANCE Naturals
Len(s) == CHOOSE n : DOMAIN s = 1..n
Append(s, e) == s
Last(s) == s[Len(s)]
====
