//! One mistake gives one error, nearly always: random edits of the golden specs, or of others (see [`crate::common::corpus`]),
//! are counted by the number of errors they give.

use crate::common::corpus::Corpus;
use crate::common::mutation::Mutable;

/// Of 1,000 refused edits, this many may give more than one error.
const SEVERAL_MAX_PER_MILLE: usize = 40;

#[test]
fn a_random_edit_nearly_always_gives_one_error() {
    let corpus = Corpus::given();
    let mut random = fastrand::Rng::with_seed(corpus.seed);
    let (mut refused, mut several) = (0, Vec::new());
    for spec in corpus.sound() {
        let mutable = Mutable::new(&spec.text);
        for _ in 0..corpus.edits {
            let Some((edit, edited)) = mutable.edited(&mut random) else {
                continue;
            };
            let errors = spec.said(edited);
            refused += usize::from(!errors.is_empty());
            if errors.len() > 1 {
                several.push(format!(
                    "{}: {edit}\n      {}",
                    spec.path.display(),
                    errors.join("\n      ")
                ));
            }
        }
    }
    println!("{refused} edits refused, {} with several errors", several.len());
    assert!(refused > 0);
    assert!(
        several.len() * 1000 <= refused * SEVERAL_MAX_PER_MILLE,
        "{}",
        several.join("\n")
    );
}
