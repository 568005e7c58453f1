//! The explanation of a prediction whose launch on the target is changed: the target's part is that of the changed launch.

use super::breakdown::{Cause, FirstTime, MadeOf, TakenApart};
use super::component_times::{Elasticity, Explanation};
use super::{Amount, Factor, Prediction, Provenance};
use crate::pair::Pair;
use crate::roofline::Spec;
use crate::units::Seconds;
use std::sync::Arc;

/// What is carried of the source, whatever launch runs on the target.
const CARRIED: [&str; 4] = ["source time", "launch overhead", "time over roof", "kept of the source"];

/// What is in seconds beside the roof: it changes as the time does.
const ABOVE_ROOF: &str = "time above the roof";

/// A prediction of a launch as it is, and the model's answers on the target alone.
#[derive(Debug)]
struct ChangedLaunch {
    pair: Arc<dyn TakenApart>,
    as_it_is: Arc<dyn TakenApart>,
    changed: Arc<dyn TakenApart>,
}

impl TakenApart for ChangedLaunch {
    fn product(&self) -> (FirstTime, Seconds, Vec<(Cause, f64)>) {
        self.pair.product()
    }

    fn explanation(&self) -> Explanation {
        let [pair, as_it_is, changed] =
            [&self.pair, &self.as_it_is, &self.changed].map(|part| part.explanation());
        Explanation {
            elasticities: elasticities([&pair, &as_it_is, &changed]),
            components: Pair::new(pair.components.source, changed.components.target),
            next: Pair::new(pair.next.source, changed.next.target),
            latency: Pair::new(pair.latency.source, changed.latency.target),
            launch_limited: Pair::new(pair.launch_limited.source, changed.launch_limited.target),
            ..pair
        }
    }
}

/// The time is `pair x changed / as_it_is`, and so is what a number does to it.
fn elasticities([pair, as_it_is, changed]: [&Explanation; 3]) -> Vec<Elasticity> {
    let of = |spec: Spec| {
        let find = |of: &Explanation| of.elasticities.iter().find(|e| e.spec == spec).copied();
        let found = [pair, as_it_is, changed].map(find);
        let number = found.iter().flatten().next()?.number;
        let [value, ten_percent] =
            [found.map(|e| e.map_or(0.0, |e| e.value)), found.map(|e| e.map_or(0.0, |e| e.ten_percent.ln()))]
                .map(|[pair, as_it_is, changed]| pair + changed - as_it_is);
        Some(Elasticity { spec, value, number, ten_percent: ten_percent.exp() })
    };
    Elasticity::fastest_first(Spec::ALL.into_iter().filter_map(of))
}

/// The numbers of a prediction with those of the changed launch on the target, whose time is so many times that of the launch as it is.
fn factors(pair: &[Factor], changed: &[Factor], times: f64) -> Vec<Factor> {
    let find = |all: &[Factor], name: &str| all.iter().find(|factor| factor.name == name).cloned();
    let on_target = |factor: &Factor| match (factor.name, factor.target) {
        (name, _) if CARRIED.contains(&name) => factor.clone(),
        (ABOVE_ROOF, Some(Amount::Time(time))) => {
            Factor { target: Some(Amount::Time(Seconds(time.0 * times))), ..factor.clone() }
        }
        (name, target) => {
            // What stretches its roof no more is not among its numbers.
            let stretch = target
                .map(|target| if matches!(target, Amount::Times(_)) { Amount::Times(1.0) } else { target });
            Factor { target: find(changed, name).map_or(stretch, |found| found.target), ..factor.clone() }
        }
    };
    let mut all: Vec<Factor> = pair.iter().map(on_target).collect();
    let is_new = |factor: &&Factor| {
        let name = factor.name;
        name != ABOVE_ROOF && !CARRIED.contains(&name) && find(pair, name).is_none()
    };
    // What stretches the roof of that launch alone stands before it.
    let roof = all.iter().position(|factor| factor.name == "roof").unwrap_or(all.len());
    let new = changed.iter().filter(is_new);
    let new: Vec<Factor> =
        new.map(|factor| Factor { source: Some(Amount::Times(1.0)), ..factor.clone() }).collect();
    all.splice(roof..roof, new);
    all
}

impl Prediction {
    /// Explains the target by its changed launch, whose time is so many times that of the launch as it is: both are the model's on the target
    /// alone. Of a model without components what was made stays, and the change is one number more.
    pub(crate) fn change_launch(&mut self, times: f64, [as_it_is, changed]: [Self; 2]) {
        self.bound_target = changed.bound_target.or(self.bound_target);
        if let (MadeOf::Components(pair), MadeOf::Components(as_it_is), MadeOf::Components(of_changed)) =
            (&self.made_of, as_it_is.made_of, changed.made_of)
        {
            let pair = pair.clone();
            self.factors = factors(&self.factors, &changed.factors, times);
            self.made_of =
                MadeOf::Components(Arc::new(ChangedLaunch { pair, as_it_is, changed: of_changed }));
        } else {
            let rule = Provenance::Modelled("waves, resident warps, element type, by `components`");
            self.factors.push(Factor::of_target("launch as changed", Amount::Times(times), rule));
        }
    }
}
