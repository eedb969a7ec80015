---- MODULE Queue ----
(* A lock-free queue as an algorithm: a linked list with a dummy node in front, after Michael and Scott. Each label is one access to shared
   memory. `head` and `tail` move by compare-and-swap. `tail` may lag behind by one node, and whoever notices that moves it. A node is never
   used again. Queue.toml says which labels the operations of a trace pass through. *)
EXTENDS Naturals
CONSTANTS Threads, Values, Nodes

None == 0     \* no node; dequeue returns it if the queue is empty
ASSUME Nodes \subseteq Nat \ {None} /\ 1 \in Nodes

(* --algorithm Queue {
  variables
    head = 1,
    tail = 1,
    link = [n \in Nodes |-> None],
    value = [n \in Nodes |-> None],
    free = Nodes \ {1};

  macro move(pointer, from, to) { if (pointer = from) pointer := to; }

  process (client \in Threads)
    variables item = None, node = None, first = None, last = None, next = None, result = None;
  {
    idle: while (TRUE) {
      either {
        \* enqueue: a new node, which no other process knows yet
        with (v \in Values, n = CHOOSE f \in free : \A g \in free : f <= g) {
          item := v;
          node := n;
          value[n] := v;
          free := free \ {n};
        };
        put_tail:  last := tail;
        put_next:  next := link[last];
                   if (next /= None) {
                     put_help: move(tail, last, next);
                               goto put_tail;
                   };
        put_link:  if (link[last] = None) link[last] := node;
                   else goto put_tail;
        put_swing: move(tail, last, node);
      } or {
        \* dequeue
        get_head:  first := head;
        get_tail:  last := tail;
        get_next:  next := link[first];
                   if (next = None) {
                     result := None;
                     goto idle;
                   } else if (first = last) {
                     get_help: move(tail, last, next);
                               goto get_head;
                   };
        get_swing: if (head = first) {
                     head := next;
                     result := value[next];
                   } else goto get_head;
      }
    }
  }
} *)
====
