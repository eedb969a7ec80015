"""Mutants of what the compiler knows at a place: which state a name is read in, what belongs to a loop, a branch, a call or a search, and what is
known to be evaluated. Each is saved, restored or handed on by one construct; without that, code inside sees what belongs to the code around it."""

TESTS = ("omnilink-mc", "tests/behaviour/main.rs")
SWITCHES = ["tla-compile"]
STAGES = [
    ["cases::", "compiled_scope"],
    ["every_construct_in_every_context"],
    ["compiled"],
]

COMPILE = "crates/tla-compile/src/compile/"
SCOPE = COMPILE + "scope.rs"
ENABLED = COMPILE + "enabled.rs"
LEADING = COMPILE + "leading.rs"
ACTION = COMPILE + "action.rs"
COMPILER = COMPILE + "compiler.rs"
EXPRESSION = COMPILE + "expression.rs"
LOOPS = COMPILE + "loops.rs"
AVAILABLE = COMPILE + "available.rs"
REMEMBERING = COMPILE + "remembering.rs"
CONDITION = COMPILE + "condition.rs"
PROCEDURE = COMPILE + "procedure.rs"
ACCESS = COMPILE + "access.rs"
REFUTATION = COMPILE + "refutation.rs"
BRANCHING = COMPILE + "branching.rs"
ASSIGNMENT = COMPILE + "assignment.rs"

MUTANTS = [
    # Which state a name is read in.
    ("names-are-read-in-their-own-state", SCOPE,
     "let primed = deferred.scope.primed || self.primed;",
     "let primed = deferred.scope.primed || (self.primed && !MUTATED);"),
    ("lazy-names-keep-their-value-under-a-prime", EXPRESSION,
     "            } if !scope.primed => {\n                let (node, own) = scope.read(&deferred);\n                self.forced",
     "            } if !scope.primed || MUTATED => {\n                let (node, own) = scope.read(&deferred);\n                self.forced"),
    ("state-reads-are-evaluated-once-under-a-prime", EXPRESSION,
     "        if scope.primed {\n            return self.expression(inner, scope);",
     "        if scope.primed && !MUTATED {\n            return self.expression(inner, scope);"),
    ("parameters-are-read-in-any-state", EXPRESSION,
     "if read_in != (scope.primed, self.searches) => {",
     "if read_in != (scope.primed, self.searches) && !MUTATED => {"),
    ("parameters-are-passed-on-from-any-state", PROCEDURE,
     "} if read_in == (scope.primed, self.searches) => Ok(register),",
     "} if read_in == (scope.primed, self.searches) || MUTATED => Ok(register),"),
    ("cells-of-an-outer-search-are-read", EXPRESSION,
     "Binding::Cells { searches, .. } if searches != self.searches => Err(",
     "Binding::Cells { searches, .. } if searches != self.searches && !MUTATED => Err("),
    ("the-next-value-of-a-path-is-the-current-one", ACCESS,
     "let is_next = scope.primed || matches!(root.kind, Kind::Next(_));",
     "let is_next = (scope.primed && !MUTATED) || matches!(root.kind, Kind::Next(_));"),
    ("procedures-do-not-depend-on-the-prime", PROCEDURE,
     "            primed: scope.primed,\n            is_in_search",
     "            primed: scope.primed && !MUTATED,\n            is_in_search"),
    ("procedures-do-not-depend-on-the-search", PROCEDURE,
     "is_in_search: self.searches > 0,",
     "is_in_search: self.searches > 0 && !MUTATED,"),
    ("memos-under-a-prime", REMEMBERING,
     "is_loop && is_of_one_state && !scope.primed && self.key_registers",
     "is_loop && is_of_one_state && (!scope.primed || MUTATED) && self.key_registers"),
    ("next-values-are-remembered-as-current-ones", REMEMBERING,
     "                        Of::Next => next.push(address.cell),",
     "                        Of::Next if MUTATED => cells.push(address.cell),\n                        Of::Next => next.push(address.cell),"),
    ("selections-under-a-prime", LOOPS,
     "if let Some(split) = self.split(bounded, &bounded.body, scope)\n            && !scope.primed",
     "if let Some(split) = self.split(bounded, &bounded.body, scope)\n            && (!scope.primed || MUTATED)"),
    ("an-assignment-of-itself-under-a-prime", ASSIGNMENT,
     "Kind::Var(same) if *same == variable && !scope.primed => Ok(()),",
     "Kind::Var(same) if *same == variable && (!scope.primed || MUTATED) => Ok(()),"),

    # What belongs to a search.
    ("enabled-knows-the-next-state-around-it", ENABLED,
     "let assigned = std::mem::take(&mut self.assigned);",
     "let assigned = if MUTATED { self.assigned } else { std::mem::take(&mut self.assigned) };"),
    ("enabled-leaves-its-next-state-behind", ENABLED,
     "(self.assigned, self.hidden, self.loops, self.exits) = (assigned, hidden, loops, exits);",
     "let assigned = if MUTATED { self.assigned } else { assigned };\n        (self.assigned, self.hidden, self.loops, self.exits) = (assigned, hidden, loops, exits);"),
    ("enabled-knows-the-loops-around-it", ENABLED,
     "let loops = std::mem::take(&mut self.loops);\n        let exits = std::mem::take(&mut self.exits);",
     "let loops = if MUTATED { self.loops.clone() } else { std::mem::take(&mut self.loops) };\n        let exits = if MUTATED { self.exits.clone() } else { std::mem::take(&mut self.exits) };"),
    ("enabled-forgets-the-loops-around-it", ENABLED,
     "let result = run(self);\n        self.searches -= 1;",
     "let result = run(self);\n        self.searches -= 1;\n        let (loops, exits) = if MUTATED { Default::default() } else { (loops, exits) };"),
    ("enabled-is-no-search", ENABLED,
     "        self.searches += 1;\n        let result = run(self);\n        self.searches -= 1;",
     "        self.searches += u32::from(!MUTATED);\n        let result = run(self);\n        self.searches -= u32::from(!MUTATED);"),

    # What belongs to a branch of an action, or to a part of it.
    ("what-a-step-assigns-stays-assigned", ACTION,
     "        (self.assigned, self.action) = (assigned, action);\n        result\n    }\n\n    fn native_step",
     "        if !MUTATED { (self.assigned, self.action) = (assigned, action); }\n        result\n    }\n\n    fn native_step"),
    ("writes-of-a-branch-are-kept", ACTION,
     "            self.place(next);\n            self.forget_beyond(known);\n            self.emit(Instruction::Undo { mark });",
     "            self.place(next);\n            self.forget_beyond(known);\n            if !MUTATED { self.emit(Instruction::Undo { mark }); }"),
    ("writes-of-an-element-are-kept", ACTION,
     "        self.place(next);\n        self.emit(Instruction::Undo { mark });\n        Ok(())",
     "        self.place(next);\n        if !MUTATED { self.emit(Instruction::Undo { mark }); }\n        Ok(())"),
    ("what-a-branch-knows-is-known-behind-it", ACTION,
     "            self.place(next);\n            self.forget_beyond(known);\n            if !",
     "            self.place(next);\n            if !MUTATED { self.forget_beyond(known); }\n            if !"),
    ("branches-are-at-the-front-of-the-loop-around-them", ACTION,
     "            self.step(branch, scope, rest, Fail::to(next))?;",
     "            self.step(branch, scope, rest, if MUTATED { Fail { goto: next, ..fail } } else { Fail::to(next) })?;"),
    ("what-is-no-guard-stays-at-the-front", ACTION,
     "        let fail = if stays_at_front(node) {",
     "        let fail = if stays_at_front(node) || MUTATED {"),
    ("a-false-if-falls-into-its-other-branch", ACTION,
     "                let otherwise = self.label();\n                self.condition(condition, scope, otherwise, false)?;\n                let known = self.known.len();\n                self.step(yes, scope, rest, fail)?;\n                self.forget_beyond(known);",
     "                let otherwise = self.label();\n                self.condition(condition, scope, otherwise, false)?;\n                let known = self.known.len();\n                self.step(yes, scope, rest, fail)?;\n                if !MUTATED { self.forget_beyond(known); }"),
    ("what-follows-a-call-is-within-it", ACTION,
     "let left = self.calls.split_off(calls.min(self.calls.len()));",
     "let left = self.calls.split_off(if MUTATED { self.calls.len() } else { calls.min(self.calls.len()) });"),

    # What belongs to a loop.
    ("arguments-do-not-move-the-front", LEADING,
     "        front.loops = front.loops.max(front.outside + own);",
     "        if !MUTATED { front.loops = front.loops.max(front.outside + own); }"),
    ("patterns-do-not-move-the-front", LEADING,
     "loops: outside + taken_apart.map_or(0, |at| at + 1),",
     "loops: outside + taken_apart.filter(|_| !MUTATED).map_or(0, |at| at + 1),"),
    ("a-loop-ends-the-one-around-it", LEADING,
     "        self.loops.push(OpenLoop { element, exit });\n        let result = run(self);\n        self.loops.pop();",
     "        self.loops.push(OpenLoop { element, exit });\n        let result = run(self);\n        if !MUTATED { self.loops.pop(); }"),
    ("the-exit-of-an-inner-loop-stays", LOOPS,
     "        self.exits.push(exit);\n        run(self, element)?;\n        self.exits.pop();\n        self.emit(Instruction::Jump { goto: head });",
     "        self.exits.push(exit);\n        run(self, element)?;\n        if !MUTATED { self.exits.pop(); }\n        self.emit(Instruction::Jump { goto: head });"),
    ("what-a-round-knows-is-known-behind-the-loop", LOOPS,
     "        self.emit(Instruction::Jump { goto: head });\n        self.place(exit);\n        self.forget_beyond(known);",
     "        self.emit(Instruction::Jump { goto: head });\n        self.place(exit);\n        if !MUTATED { self.forget_beyond(known); }"),
    ("what-an-element-knows-the-next-one-knows", LOOPS,
     "                run(self, element)?;\n                self.forget_beyond(known);\n            }",
     "                run(self, element)?;\n                if !MUTATED { self.forget_beyond(known); }\n            }"),
    ("elements-that-are-written-out-have-no-origin", REFUTATION,
     "                    found.push(*register);\n                    found.extend",
     "                    if MUTATED { continue; }\n                    found.push(*register);\n                    found.extend"),

    # What is known.
    ("labels-forget-nothing", COMPILER,
     "            let (_, known) = self.open.swap_remove(at);\n            self.forget_beyond(known);",
     "            let (_, known) = self.open.swap_remove(at);\n            if !MUTATED { self.forget_beyond(known); }"),
    ("taken-back-code-leaves-what-it-knew", COMPILER,
     "        self.forget_beyond(point.known);",
     "        if !MUTATED { self.forget_beyond(point.known); }"),
    ("taken-back-code-leaves-what-it-assigned", COMPILER,
     "        self.assigned = point.assigned;",
     "        if !MUTATED { self.assigned = point.assigned; }"),
    ("taken-back-code-leaves-its-calls", COMPILER,
     "        self.calls.truncate(point.calls);",
     "        if !MUTATED { self.calls.truncate(point.calls); }"),
    ("taken-back-code-leaves-its-loops", COMPILER,
     "        self.loops.truncate(point.loops);\n        self.exits.truncate(point.exits);",
     "        if !MUTATED { self.loops.truncate(point.loops);\n        self.exits.truncate(point.exits); }"),
    ("lazy-values-are-known-behind-a-jump", EXPRESSION,
     "        self.emit(Instruction::Move { to: register, from });\n        self.place(end);\n        self.forget_beyond(known);",
     "        self.emit(Instruction::Move { to: register, from });\n        self.place(end);\n        if !MUTATED { self.forget_beyond(known); }"),
    ("an-arm-knows-what-the-one-before-knew", EXPRESSION,
     "            let from = self.expression(value, scope)?;\n            self.forget_beyond(known);\n            self.emit(Instruction::Move { to, from });\n            self.emit(Instruction::Jump { goto: end });",
     "            let from = self.expression(value, scope)?;\n            if !MUTATED { self.forget_beyond(known); }\n            self.emit(Instruction::Move { to, from });\n            self.emit(Instruction::Jump { goto: end });"),
    ("what-was-computed-is-used-in-memos", AVAILABLE,
     "let floor = std::mem::replace(&mut self.available.floor, self.known.len());",
     "let floor = std::mem::replace(&mut self.available.floor, if MUTATED { 0 } else { self.known.len() });"),
    ("memos-leave-nothing-available", AVAILABLE,
     "        let result = run(self);\n        self.available.floor = floor;",
     "        let result = run(self);\n        if !MUTATED { self.available.floor = floor; }"),
    ("what-is-remembered-is-known", REMEMBERING,
     "        // What became known on the way is not known where the value was remembered.\n        self.forget_beyond(known);",
     "        // What became known on the way is not known where the value was remembered.\n        if !MUTATED { self.forget_beyond(known); }"),
    ("the-branch-of-an-if-knows-what-the-other-knew", CONDITION,
     "                self.condition(yes, scope, goto, is)?;\n                self.forget_beyond(known);",
     "                self.condition(yes, scope, goto, is)?;\n                if !MUTATED { self.forget_beyond(known); }"),
    ("arguments-of-a-procedure-are-known-to-be-evaluated", PROCEDURE,
     "        // Where the evaluation ended early, what it would have evaluated is not known.\n        self.forget_beyond(known);",
     "        // Where the evaluation ended early, what it would have evaluated is not known.\n        if !MUTATED { self.forget_beyond(known); }"),
]
