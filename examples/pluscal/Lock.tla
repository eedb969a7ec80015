---- MODULE Lock ----
(* A lock as an algorithm, for `omnilink validate`: Lock.toml binds operations to its labels. *)
EXTENDS Naturals

(* --algorithm Lock {
  variables owner = 0;

  process (client \in 1..2) {
    idle: while (TRUE) {
      acquire: await owner = 0; owner := self;
      release: owner := 0;
    }
  }
} *)
====
