//! `--svg FOLDER`: figures of papers, a file each.

use super::{Usage, output};
use crate::chart::SvgTheme;
use crate::papers::figure::PaperFigure;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// Whether `--svg` names one picture and no folder for several.
pub(super) fn is_picture(path: &Path) -> bool {
    output::is_stdout(path) || path.extension().is_some_and(|e| e.eq_ignore_ascii_case("svg"))
}

/// Refuses the name of one picture where several are drawn.
pub(super) fn needs_folder(path: &Path, of: &str) -> Result<()> {
    if is_picture(path) {
        let text = format!("--svg {}: {of} has several figures; give a folder for them", path.display());
        return Err(Usage(text).into());
    }
    Ok(())
}

/// Writes each figure into the folder, which is made where it is missing, and says how many there are.
pub(super) fn write_figures(
    figures: &[PaperFigure],
    folder: &Path,
    theme: SvgTheme,
    inputs: &[PathBuf],
) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("{}: cannot be made", folder.display()))?;
    for figure in figures {
        let inputs = inputs.iter().map(PathBuf::as_path);
        output::picture(&figure.chart, theme, &folder.join(figure.file_name()), inputs)?;
    }
    output::remark(format!("{} figures are in {}", figures.len(), folder.display()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_picture_is_told_from_a_folder_by_its_name() {
        assert!(is_picture(Path::new("a.svg")) && is_picture(Path::new("-")));
        assert!(!is_picture(Path::new("figures")) && needs_folder(Path::new("figures/"), "paper1").is_ok());
        assert!(needs_folder(Path::new("a.SVG"), "paper1").is_err());
    }
}
