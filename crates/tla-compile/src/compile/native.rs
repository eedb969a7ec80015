//! Native operators: those of the standard and community modules.
//!
//! The most frequent ones are instructions. Those with an operator as an argument are loops around it. Any other that depends on nothing but
//! its operands is computed by the evaluator from their values, and remembered by them.

use omnilink_tla_ir::native::{MODULES, Native};
use omnilink_tla_ir::{Argument, Arithmetic, Kind, Node};

use super::compiler::{Compiled, Compiler, not_compiled};
use super::scope::Scope;
use super::sequence_search::SearchFrom;
use crate::code::{Instruction, MemoKey, RegisterIndex, ValueOperation};
use crate::values::ValueWord;

impl<'p> Compiler<'_, 'p> {
    pub(super) fn native(
        &mut self,
        native: Native,
        arguments: &'p [Argument],
        node: &'p Node,
        scope: &Scope<'p>,
    ) -> Compiled<RegisterIndex> {
        let (module, operator) = native.position();
        let signature = &MODULES[module].1[operator];
        let name = (MODULES[module].0, signature.name);
        match name {
            ("TLC", "Assert") => {
                let Some(condition) = arguments.first().and_then(Argument::node) else {
                    return Err(not_compiled(node, "an operator is used as a value"));
                };
                let holds = self.label();
                self.condition(condition, scope, holds, true)?;
                self.emit(Instruction::NotCompiled);
                self.place(holds);
                return Ok(self.constant(ValueWord::TRUE));
            }
            // The level is that of the state that is being evaluated, whenever that is.
            ("TLC", "TLCGet")
                if !scope.primed
                    && (self.is_text(arguments, "level")
                        || self.knows_queue && self.is_text(arguments, "queue")) =>
            {
                return Ok(self.interpreted_with(node, scope.size(), Vec::new(), None));
            }
            ("TLC", "TLCEval") => {
                if let [argument] = arguments {
                    return self.operand(argument, node, scope);
                }
            }
            _ => {}
        }
        if let Some(operation) = operation(name) {
            let mut registers = [0; 3];
            for (register, argument) in registers.iter_mut().zip(arguments) {
                *register = self.operand(argument, node, scope)?;
            }
            return Ok(self.operate(operation, registers));
        }
        if let Some(folded) = self.higher_order(name, arguments, node, scope) {
            return folded;
        }
        if signature.is_impure || signature.reads_state {
            // Nothing around it can be left to the evaluator without it. So the whole state is, as soon as this is reached: effects happen
            // once, and what is read is what the evaluator would read.
            self.reasons.push(not_compiled(
                node,
                "this operator of a standard module has effects, or reads the search",
            ));
            self.code.reads = u64::MAX;
            self.emit(Instruction::NotCompiled);
            return Ok(self.register());
        }
        if signature.is_lazy || arguments.len() > MemoKey::WORDS_MAX {
            return Err(not_compiled(
                node,
                "this operator of a standard module is not compiled",
            ));
        }
        let mut registers = Vec::with_capacity(arguments.len());
        for argument in arguments {
            registers.push(self.operand(argument, node, scope)?);
        }
        self.code.memos.push(MemoKey {
            registers: registers.clone(),
            ..MemoKey::default()
        });
        let memo = self.code.memos.len() as u32 - 1;
        let list = self.list(registers);
        let to = self.register();
        self.emit(Instruction::Native {
            to,
            native,
            list,
            memo,
        });
        Ok(to)
    }

    /// Whether the only argument is this text.
    fn is_text(&self, arguments: &[Argument], text: &str) -> bool {
        match arguments {
            [argument] => argument
                .node()
                .is_some_and(|node| matches!(&node.kind, Kind::Const(value) if value.as_str() == Some(text))),
            _ => false,
        }
    }

    /// The value of an argument.
    pub(super) fn operand(
        &mut self,
        argument: &'p Argument,
        node: &'p Node,
        scope: &Scope<'p>,
    ) -> Compiled<RegisterIndex> {
        match argument {
            Argument::Slot(slot) => self.local(*slot, scope, node),
            Argument::Operator(..) => Err(not_compiled(node, "an operator is used as a value")),
            Argument::Value(node) | Argument::Lazy(node) | Argument::ByName(node) => {
                self.expression(node, scope)
            }
        }
    }

    /// An operator that applies another one to parts of a collection; `None` if it is no such operator.
    fn higher_order(
        &mut self,
        name: (&str, &str),
        arguments: &'p [Argument],
        node: &'p Node,
        scope: &Scope<'p>,
    ) -> Option<Compiled<RegisterIndex>> {
        Some(match (name, arguments) {
            (("FiniteSetsExt", "FoldSet"), [operator, base, set]) => {
                self.fold(operator, base, (node, scope), |this, each| {
                    let set = this.operand(set, node, scope)?;
                    this.each_element(set, &mut |this, element| each(this, element, Order::PartFirst))
                })
            }
            (("Functions", "FoldFunction") | ("SequencesExt", "FoldSeq"), [operator, base, function]) => self
                .fold(operator, base, (node, scope), |this, each| {
                    let function = this.operand(function, node, scope)?;
                    this.each_value(function, &mut |this, value| each(this, value, Order::PartFirst))
                }),
            (("Functions", "FoldFunctionOnSet"), [operator, base, function, keys]) => {
                self.fold(operator, base, (node, scope), |this, each| {
                    let function = this.operand(function, node, scope)?;
                    let keys = this.operand(keys, node, scope)?;
                    this.each_element(keys, &mut |this, key| {
                        let value = this.operate(ValueOperation::Apply, [function, key, 0]);
                        each(this, value, Order::PartFirst)
                    })
                })
            }
            (("SequencesExt", "FoldLeft"), [operator, base, sequence]) => {
                self.fold(operator, base, (node, scope), |this, each| {
                    let sequence = this.sequence(sequence, node, scope)?.0;
                    this.each_value(sequence, &mut |this, part| each(this, part, Order::PartLast))
                })
            }
            (("SequencesExt", "FoldRight"), [operator, sequence, base]) => {
                self.fold(operator, base, (node, scope), |this, each| {
                    let (sequence, length) = this.sequence(sequence, node, scope)?;
                    let one = this.constant_value(&1.into());
                    let end = this.calculate(Arithmetic::Plus, length, one);
                    let state = this.registers(2);
                    this.emit(Instruction::Count {
                        state,
                        low: one,
                        high: length,
                    });
                    this.each_part(state, true, &mut |this, index| {
                        let index = this.calculate(Arithmetic::Minus, end, index);
                        let part = this.operate(ValueOperation::Apply, [sequence, index, 0]);
                        each(this, part, Order::PartFirst)
                    })
                })
            }
            (("BagsExt", "FoldBag"), [operator, base, bag]) => {
                self.fold(operator, base, (node, scope), |this, each| {
                    let bag = this.operand(bag, node, scope)?;
                    this.each_copy(bag, &mut |this, element| each(this, element, Order::PartLast))
                })
            }
            (("SequencesExt", "SelectInSeq"), [sequence, test]) => {
                self.found_place(SearchFrom::Front, sequence, None, test, (node, scope))
            }
            (("SequencesExt", "SelectLastInSeq"), [sequence, test]) => {
                self.found_place(SearchFrom::Back, sequence, None, test, (node, scope))
            }
            (("SequencesExt", "SelectInSubSeq"), [sequence, low, high, test]) => {
                let places = Some((low, high));
                self.found_place(SearchFrom::Front, sequence, places, test, (node, scope))
            }
            (("SequencesExt", "SelectLastInSubSeq"), [sequence, low, high, test]) => {
                let places = Some((low, high));
                self.found_place(SearchFrom::Back, sequence, places, test, (node, scope))
            }
            (("Sequences", "SelectSeq"), [sequence, test]) => self.select_seq(sequence, test, node, scope),
            (("FiniteSetsExt", "Quantify"), [set, test]) => self.quantify(set, test, node, scope),
            _ => return None,
        })
    }

    /// Folds: the second argument of `walk` is to be called for each part.
    fn fold(
        &mut self,
        operator: &'p Argument,
        base: &'p Argument,
        (node, scope): (&'p Node, &Scope<'p>),
        walk: impl FnOnce(
            &mut Self,
            &mut dyn FnMut(&mut Self, RegisterIndex, Order) -> Compiled<()>,
        ) -> Compiled<()>,
    ) -> Compiled<RegisterIndex> {
        let operator = self.argument(operator, scope)?;
        let base = self.operand(base, node, scope)?;
        let folded = self.register();
        self.emit(Instruction::Move {
            to: folded,
            from: base,
        });
        walk(self, &mut |this, part, order| {
            let values = match order {
                Order::PartFirst => [part, folded],
                Order::PartLast => [folded, part],
            };
            let from = this.applied_to(&operator, &values, node, scope)?;
            this.emit(Instruction::Move { to: folded, from });
            Ok(())
        })?;
        // The register changes with each part, so what follows must not take it for a value that stays.
        let to = self.register();
        self.emit(Instruction::Move { to, from: folded });
        Ok(to)
    }

    /// A sequence and its length; anything else traps.
    pub(super) fn sequence(
        &mut self,
        argument: &'p Argument,
        node: &'p Node,
        scope: &Scope<'p>,
    ) -> Compiled<(RegisterIndex, RegisterIndex)> {
        let sequence = self.operand(argument, node, scope)?;
        let length = self.operate(ValueOperation::Len, [sequence, 0, 0]);
        Ok((sequence, length))
    }

    fn select_seq(
        &mut self,
        sequence: &'p Argument,
        test: &'p Argument,
        node: &'p Node,
        scope: &Scope<'p>,
    ) -> Compiled<RegisterIndex> {
        let (sequence, _) = self.sequence(sequence, node, scope)?;
        let test = self.argument(test, scope)?;
        self.emit(Instruction::Collect);
        self.each_value(sequence, &mut |this, part| {
            let next = this.label();
            this.tested(&test, part, (node, scope), next)?;
            this.emit(Instruction::Push { from: part });
            this.place(next);
            Ok(())
        })?;
        let to = self.register();
        self.emit(Instruction::CollectedTuple { to });
        Ok(to)
    }

    /// How many elements of a set pass a test.
    fn quantify(
        &mut self,
        set: &'p Argument,
        test: &'p Argument,
        node: &'p Node,
        scope: &Scope<'p>,
    ) -> Compiled<RegisterIndex> {
        let set = self.operand(set, node, scope)?;
        let test = self.argument(test, scope)?;
        self.emit(Instruction::Collect);
        self.each_element(set, &mut |this, element| {
            let next = this.label();
            this.tested(&test, element, (node, scope), next)?;
            this.emit(Instruction::Push { from: element });
            this.place(next);
            Ok(())
        })?;
        let kept = self.register();
        self.emit(Instruction::CollectedSorted { to: kept });
        Ok(self.operate(ValueOperation::Cardinality, [kept, 0, 0]))
    }

    pub(super) fn calculate(
        &mut self,
        arithmetic: Arithmetic,
        left: RegisterIndex,
        right: RegisterIndex,
    ) -> RegisterIndex {
        let to = self.register();
        self.compute(Instruction::Calculate {
            arithmetic,
            to,
            left,
            right,
        })
    }
}

/// In which order an operator that folds takes a part and what is folded so far.
#[derive(Clone, Copy)]
enum Order {
    PartFirst,
    PartLast,
}

/// The instruction for a native operator, if there is one.
fn operation(name: (&str, &str)) -> Option<ValueOperation> {
    Some(match name {
        ("Sequences", "Len") => ValueOperation::Len,
        ("Sequences", "Head") => ValueOperation::Head,
        ("Sequences", "Tail") => ValueOperation::Tail,
        ("Sequences", "Append") => ValueOperation::Append,
        ("Sequences", "\\o") => ValueOperation::Concat,
        ("Sequences", "SubSeq") => ValueOperation::SubSeq,
        ("FiniteSets", "Cardinality") => ValueOperation::Cardinality,
        ("FiniteSets", "IsFiniteSet") => ValueOperation::IsFiniteSet,
        ("FiniteSetsExt", "Max") => ValueOperation::Max,
        ("FiniteSetsExt", "Min") => ValueOperation::Min,
        ("TLC", ":>") => ValueOperation::MapsTo,
        ("TLC", "@@") => ValueOperation::Override,
        ("Bags", "SetToBag") => ValueOperation::BagOfSet,
        ("Bags", "(+)") => ValueOperation::BagSum,
        ("Bags", "(-)") => ValueOperation::BagDifference,
        _ => return None,
    })
}
