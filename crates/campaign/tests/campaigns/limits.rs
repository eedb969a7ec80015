//! A campaign ends when it should, and a part of it is repeatable.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use omnilink_campaign::{Campaign, CampaignOptions, Stop};

use crate::toy::{Toy, check};

const SEEDS: &str = "echo $OMNILINK_SEED > $OMNILINK_TRACE";

#[test]
fn seeds_depend_on_the_campaigns_seed_and_the_number_only() {
    let toy = Toy::new(SEEDS);
    let seeds = |options: CampaignOptions| -> Vec<u64> {
        toy.run(options).iter().map(|run| run.record.seed).collect()
    };
    let one = seeds(toy.options());
    let parallel = seeds(CampaignOptions {
        jobs: NonZeroUsize::new(4).unwrap(),
        ..toy.options()
    });
    assert_eq!((one.len(), &one), (10, &parallel));
    assert_ne!(
        one,
        seeds(CampaignOptions {
            seed: 1,
            ..toy.options()
        })
    );
}

#[test]
fn shards_make_up_the_whole_and_a_campaign_that_is_there_goes_on() {
    let toy = Toy::new(SEEDS);
    let part = |shard: &str| CampaignOptions {
        name: Some("nightly".to_owned()),
        shard: Some(shard.parse().unwrap()),
        ..toy.options()
    };
    assert_eq!(toy.run(part("1/3")).len(), 4);
    assert_eq!(toy.run(part("2/3")).len(), 3);
    assert_eq!(toy.run(part("2/3")).len(), 0, "all of it is there");
    assert_eq!(toy.run(part("3/3")).len(), 3);
    assert_eq!(
        toy.store().numbers("nightly").unwrap(),
        (0..10).collect::<Vec<_>>()
    );
}

#[test]
fn the_first_finding_the_time_or_an_interrupt_ends_a_campaign() {
    let toy =
        Toy::new("[ $OMNILINK_RUN = 3 ] && echo 'bad x' > $OMNILINK_TRACE || echo ok > $OMNILINK_TRACE");
    let stop = |options: CampaignOptions, interrupt_after: u64| {
        let campaign = Campaign::start(options, toy.store()).unwrap();
        let (interrupted, runs) = (AtomicBool::new(false), std::sync::atomic::AtomicU64::new(0));
        let stop = campaign
            .run(&check, &|| interrupted.load(Ordering::Relaxed), &|_| {
                if runs.fetch_add(1, Ordering::Relaxed) + 1 >= interrupt_after {
                    interrupted.store(true, Ordering::Relaxed);
                }
            })
            .unwrap();
        (stop, runs.into_inner())
    };
    let until = CampaignOptions {
        until_finding: true,
        ..toy.options()
    };
    assert_eq!(stop(until, u64::MAX), (Stop::Finding, 4));
    assert_eq!(stop(toy.options(), u64::MAX), (Stop::Runs, 10));
    assert_eq!(stop(toy.options(), 2), (Stop::Interrupt, 2));
    let timed = CampaignOptions {
        runs: None,
        time: Some(Duration::from_millis(200)),
        ..toy.options()
    };
    let (reason, runs) = stop(timed, u64::MAX);
    assert_eq!(reason, Stop::Time);
    assert!(runs >= 1);
}

#[test]
fn an_interrupt_ends_the_run_in_flight() {
    let toy = Toy::new("sleep 1000");
    let campaign = Campaign::start(toy.options(), toy.store()).unwrap();
    let started = std::time::Instant::now();
    let stop = campaign.run(
        &check,
        &|| started.elapsed() > Duration::from_millis(100),
        &|_| (),
    );
    assert_eq!(stop.unwrap(), Stop::Interrupt);
    assert_eq!(toy.store().totals(None).unwrap().runs, 0);
}
