//! The GPUs that a flag names.

use super::Usage;
use crate::gpu::GpuId;
use crate::rank::select_targets;
use crate::session::{Session, Sources};
use anyhow::Result;

/// Every GPU, as `--from` and `--to` name them.
const ALL: &str = "all";

/// Positions of the GPUs of these names; `all` means every one.
pub(super) fn gpus(session: &Session, names: &[String]) -> Result<Vec<GpuId>> {
    let (all, named): (Vec<&String>, Vec<&String>) = names.iter().partition(|name| *name == ALL);
    // A slip in another name is one all the same.
    let named = named.into_iter().map(|name| session.gpus.position(name)).collect::<Result<_, _>>()?;
    Ok(if all.is_empty() { named } else { session.gpus.ids().collect() })
}

/// The GPUs that a list of targets means, as `rank` reads it; `except` is one only where it is named itself.
pub(super) fn target_gpus(session: &Session, names: &[String], except: Option<GpuId>) -> Result<Vec<GpuId>> {
    let mut targets = select_targets(&session.gpus, names)?;
    let is_named = |gpu: GpuId| names.iter().any(|name| session.gpus.position(name) == Ok(gpu));
    targets.retain(|gpu| Some(*gpu) != except || is_named(*gpu));
    Ok(targets)
}

/// These targets, the first of every name before further boards of the same: a picture has room for few.
pub(super) fn one_of_each_name_first(session: &Session, names: &[String], targets: Vec<GpuId>) -> Vec<GpuId> {
    let is_name = |name: &&str| !name.trim().starts_with(['<', '>', '=']);
    let names = names.iter().flat_map(|typed| typed.split(',')).filter(is_name);
    let meant = names.filter_map(|name| select_targets(&session.gpus, &[name.to_string()]).ok());
    let first = meant.filter_map(|boards| boards.into_iter().find(|board| targets.contains(board)));
    let mut all = Vec::new();
    for gpu in first.chain(targets.iter().copied()) {
        if !all.contains(&gpu) {
            all.push(gpu);
        }
    }
    all
}

/// The source as typed, where it is one: reports that name no GPU ran there.
pub(super) fn only_source(from: &[String]) -> Option<&str> {
    match from {
        [one] if one != ALL => Some(one),
        _ => None,
    }
}

/// The sources of `--from`, each once: GPUs, `all`, or a GPU and `all` beside it.
pub(super) fn sources_named(session: &Session, from: &[String]) -> Result<Sources> {
    let (all, named): (Vec<&String>, Vec<&String>) = from.iter().partition(|name| *name == ALL);
    let mut places = Vec::new();
    for name in named {
        let place = session.gpus.position(name)?;
        if !places.contains(&place) {
            places.push(place);
        }
    }
    match (&places[..], all.is_empty()) {
        (_, true) => Ok(Sources::These(places)),
        ([], false) => Ok(Sources::All),
        ([seen], false) => Ok(Sources::AllBeside(*seen)),
        _ => Err(Usage("--from: `all` stands alone or beside one GPU, such as titan-v,all".into()).into()),
    }
}

/// The sources of `--from`; this one where none is named.
pub(super) fn sources_seen_from(session: &Session, from: &[String], source: GpuId) -> Result<Sources> {
    if from.is_empty() { Ok(Sources::from_gpu(source)) } else { sources_named(session, from) }
}

/// The first GPU of `--from`, whose time others are compared with; `None` where none is named.
///
/// # Errors
/// Where `all` stands alone.
pub(super) fn compared_source(from: &[String]) -> Result<Option<&str>> {
    let named = from.iter().map(String::as_str).find(|name| *name != ALL);
    if named.is_none() && !from.is_empty() {
        let text =
            "--from all: times are compared with those of one GPU: name it too, such as --from titan-v,all";
        return Err(Usage(text.into()).into());
    }
    Ok(named)
}

/// The one GPU of `--from` that an application is predicted from; `None` where none is named.
///
/// # Errors
/// Where there are several.
pub(super) fn source_of_application(from: &[String]) -> Result<Option<&str>> {
    match from {
        [] => Ok(None),
        _ => only_source(from).map(Some).ok_or_else(|| {
            Usage("--from: an application is predicted from the one GPU that its trace was taken on".into())
                .into()
        }),
    }
}
