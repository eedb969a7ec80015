//! Checks of steps that compiled code makes once for each successor, and not at all for what was seen before.

use omnilink_mc::report::{Answer, Report};
use omnilink_mc::{CheckOptions, Evaluators};

use crate::compiled::explored;

fn by(text: &str, config: &str, evaluators: Evaluators) -> Report {
    let options = CheckOptions {
        evaluators,
        ..CheckOptions::default()
    };
    explored(text, config, &options)
}

/// Two actions lead to one state; a VIEW hides what the property of steps is about; and what an action constraint rules out on one way is reached on another.
#[test]
fn a_step_is_checked_once_and_none_is_missed() {
    let text = "---- MODULE Twice ----\nEXTENDS Integers\nVARIABLES n, hidden\n\
         Init == n = 0 /\\ hidden = 0\n\
         Up == n < 60 /\\ n' = n + 1 /\\ hidden' = 0\n\
         Again == n < 60 /\\ n' = n + 1 /\\ hidden' \\in {0, IF n = 50 THEN 1 ELSE 0}\n\
         Jump == n < 50 /\\ n' = n + 2 /\\ hidden' = 0\n\
         Back == n = 5 /\\ n' = 3 /\\ hidden' = 0\n\
         Next == Up \\/ Again \\/ Jump \\/ Back\n\
         Seen == n\nSmall == n < 55\nStep == n' # n + 1 \\/ n > 30 \\/ n % 2 = 0\n\
         Stays == [][hidden' = 0]_<<n, hidden>>\nRises == [][n' > n - 3]_n\nForward == n' > n\nPlain == hidden = 0\n\
         Spec == Init /\\ [][Next]_<<n, hidden>> /\\ WF_<<n, hidden>>(Next)\nEnds == <>(n >= 54)\n====\n";
    for (rest, violated) in [
        ("VIEW Seen\nPROPERTY Stays", true),
        ("VIEW Seen\nCONSTRAINT Small\nPROPERTY Stays", true),
        ("CONSTRAINT Small\nPROPERTY Stays Rises", true),
        ("CONSTRAINT Small\nPROPERTY Rises Ends", true),
        (
            "ACTION_CONSTRAINT Forward\nCONSTRAINT Small\nPROPERTY Rises Ends",
            false,
        ),
        ("VIEW Seen\nCONSTRAINT Plain\nINVARIANT Plain", true),
        ("ACTION_CONSTRAINT Step\nCONSTRAINT Small\nPROPERTY Rises", false),
        ("ACTION_CONSTRAINT Step\nPROPERTY Rises Ends", true),
    ] {
        let config = format!("SPECIFICATION Spec\nCHECK_DEADLOCK FALSE\n{rest}\n");
        let expected = by(text, &config, Evaluators::Interpreter);
        assert_eq!(
            matches!(expected.answer, Answer::Wrong(_)),
            violated,
            "{rest}: {:?}",
            expected.answer
        );
        let found = by(text, &config, Evaluators::Both);
        assert_eq!(found.figures, expected.figures, "{rest}");
        assert_eq!(
            format!("{:?}", found.coverage),
            format!("{:?}", expected.coverage),
            "{rest}"
        );
        assert_eq!(
            format!("{:?}", found.answer),
            format!("{:?}", expected.answer),
            "{rest}"
        );
    }
}
