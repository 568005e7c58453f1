//! Everything a key, the palette or the mouse can ask for. The doc sentence of each variant is what help and palette show.

use tui_input::InputRequest;

/// Declares actions once: the enum, their ids for the keymap, and their sentences for help and palette.
macro_rules! actions {
    ($(#[doc = $about:literal])+ $kind:ident {
        $($(#[doc = $doc:literal])+ $name:ident = $id:literal,)+
    }) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $kind {
            $($(#[doc = $doc])+ $name,)+
        }

        impl $kind {
            /// All of them, in the order of the help screen.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The ids of all of them, in the same order.
            pub const IDS: &'static [&'static str] = &[$($id,)+];

            /// The id that keymaps use.
            #[must_use]
            pub fn id(self) -> &'static str {
                match self { $(Self::$name => $id,)+ }
            }

            /// Its sentence.
            #[must_use]
            pub fn doc(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),+).trim_ascii(),)+ }
            }

            /// The one with this id.
            #[must_use]
            pub fn from_id(id: &str) -> Option<Self> {
                Self::IDS.iter().position(|known| *known == id).map(|place| Self::ALL[place])
            }
        }
    };
}

actions! {
    /// What can be done in the dashboard.
    Action {
        /// Make the GPU under the cursor the source; elsewhere, choose one.
        SetSource = "set_source",
        /// Make the GPU under the cursor the target; elsewhere, choose one.
        SetTarget = "set_target",
        /// Add the GPU under the cursor as a further target, or drop it.
        AddTarget = "add_target",
        /// Predict from every GPU with a measurement, or the source alone.
        AllSources = "all_sources",
        /// Swap source and target.
        Swap = "swap",
        /// Next larger problem size.
        SizeUp = "size_up",
        /// Next smaller problem size.
        SizeDown = "size_down",
        /// Make the problem a little larger: about an eighth of a wave.
        SizeFinerUp = "size_finer_up",
        /// Make the problem a little smaller: about an eighth of a wave.
        SizeFinerDown = "size_finer_down",
        /// Type a kernel of your own: time, GPU, launch, registers, work.
        NewKernel = "new_kernel",
        /// Type a problem size for the selected kernel.
        TypeSize = "type_size",
        /// Type threads per block for the selected kernel.
        TypeBlock = "type_block",
        /// Set target clocks and power limit.
        TargetClocks = "target_clocks",
        /// Set source clocks and power limit; it is modelled at those.
        SourceClocks = "source_clocks",
        /// Read compiler reports or measurements: pick a file.
        Import = "import",
        /// Select the next kernel.
        KernelNext = "kernel_next",
        /// Select the previous kernel.
        KernelPrevious = "kernel_previous",
        /// Use the next model.
        ModelNext = "model_next",
        /// Use the previous model.
        ModelPrevious = "model_previous",
        /// Compare all models for the selected kernel.
        Compare = "compare",
        /// Errors of the model in use on the loaded rows.
        Evaluate = "evaluate",
        /// Errors of every model, which one is used and why; train.
        Models = "models",
        /// Time, power and energy of a matrix product, tile by tile.
        Gemm = "gemm",
        /// Measure the selected kernel on the GPU of this machine.
        MeasureHere = "measure_here",
        /// Switch between peak and achieved roofs.
        Ceilings = "ceilings",
        /// Show one memory level more in the roofline, then DRAM again.
        Levels = "levels",
        /// Switch between exact occupancy and the study's formula.
        Rules = "rules",
        /// Open or close the explanation; it follows every step.
        Explain = "explain",
        /// Zoom the focused pane to the whole screen, or back.
        Zoom = "zoom",
        /// Export the focused pane as SVG.
        Export = "export",
        /// Filter the focused list while typing.
        Filter = "filter",
        /// Sort predictions, board or application by the next column.
        SortNext = "sort_next",
        /// Reverse the order of predictions, board or application.
        SortReverse = "sort_reverse",
        /// Copy the row under the cursor as text (OSC 52, also over ssh).
        CopyRow = "copy_row",
        /// Copy the roofswap command that prints what is shown.
        CopyCommand = "copy_command",
        /// Undo the last change: GPUs, numbers, clocks, size, model, roofs.
        Undo = "undo",
        /// Switch to the next theme: dark, light, without colour.
        Theme = "theme",
        /// Pin the GPU under the cursor: on top, and a further target.
        Pin = "pin",
        /// Type the price of an hour on the GPU under the cursor.
        Price = "price",
        /// Board: rank GPUs, variants of the kernel, or block sizes.
        NextRows = "next_rows",
        /// Further targets, or the board: one of each architecture.
        EachArchitecture = "each_architecture",
        /// Import notes and refused rows.
        Notices = "notices",
        /// Audit findings in your measurement files.
        Audit = "audit",
        /// Type a command.
        Palette = "palette",
        /// Keys of the focused pane or open dialog; what marks mean.
        Help = "help",
        /// Focus the next pane.
        FocusNext = "focus_next",
        /// Focus the previous pane.
        FocusPrevious = "focus_previous",
        /// View 1, Swap: this kernel, from the source to the targets.
        ViewSwap = "view_swap",
        /// View 2, Board: which GPU is best for it.
        ViewBoard = "view_board",
        /// View 3, What if: what would change it.
        ViewWhatIf = "view_what_if",
        /// View 4, Application: a whole program.
        ViewApplication = "view_application",
        /// View 5, Evidence: errors, audit, import notes.
        ViewEvidence = "view_evidence",
        /// What if: step the number down by a quarter.
        CoarseDown = "coarse_down",
        /// What if: step the number up by a quarter.
        CoarseUp = "coarse_up",
        /// What if: set the number under the cursor back.
        ResetNumber = "reset_number",
        /// What if: set every number back.
        ResetAll = "reset_all",
        /// What if: find the value that makes a time.
        Solve = "solve",
        /// What if: mark a number for the chart of two.
        MarkNumber = "mark_number",
        /// What if: tornado, two numbers, or scenarios.
        NextForm = "next_form",
        /// What if: keep the changes as a scenario.
        KeepScenario = "keep_scenario",
        /// What if: show the next kept scenario.
        NextScenario = "next_scenario",
        /// What if: drop a kept scenario.
        DropScenario = "drop_scenario",
        /// What if: save the changed GPU under an id.
        SaveGpu = "save_gpu",
        /// What if: the application, or the kernel again.
        NextWorkload = "next_workload",
        /// Scroll the explanation, or the focused list, down.
        ScrollDown = "scroll_down",
        /// Scroll the explanation, or the focused list, up.
        ScrollUp = "scroll_up",
        /// Choose the next recipe to train.
        RecipeNext = "recipe_next",
        /// Move up one line.
        Up = "up",
        /// Move down one line.
        Down = "down",
        /// Move the read-out or sort column left; step a number down.
        Left = "left",
        /// Move the read-out or sort column right; step a number up.
        Right = "right",
        /// Move up one page.
        PageUp = "page_up",
        /// Move down one page.
        PageDown = "page_down",
        /// Move to the first line.
        Top = "top",
        /// Move to the last line.
        Bottom = "bottom",
        /// Choose: a GPU as target, a prediction to explain, a chart.
        Pick = "pick",
        /// Close what is open, clear a filter, or cancel a running job.
        Cancel = "cancel",
        /// Suspend the dashboard; the shell's `fg` brings it back.
        Suspend = "suspend",
        /// Leave; the selection is remembered.
        Quit = "quit",
    }
}

actions! {
    /// What a key does to the line that is typed, in contexts of the keymap that take text.
    TextEdit {
        /// Delete the character before the cursor.
        DeleteBefore = "delete_before",
        /// Delete the character under the cursor.
        DeleteAfter = "delete_after",
        /// Move the cursor left.
        CursorLeft = "cursor_left",
        /// Move the cursor right.
        CursorRight = "cursor_right",
        /// Move the cursor to the start of the line.
        LineStart = "line_start",
        /// Move the cursor to the end of the line.
        LineEnd = "line_end",
        /// Delete the word before the cursor.
        DeleteWord = "delete_word",
        /// Delete the line.
        DeleteLine = "delete_line",
    }
}

impl TextEdit {
    /// What it asks of the line.
    #[must_use]
    pub fn input_request(self) -> InputRequest {
        match self {
            Self::DeleteBefore => InputRequest::DeletePrevChar,
            Self::DeleteAfter => InputRequest::DeleteNextChar,
            Self::CursorLeft => InputRequest::GoToPrevChar,
            Self::CursorRight => InputRequest::GoToNextChar,
            Self::LineStart => InputRequest::GoToStart,
            Self::LineEnd => InputRequest::GoToEnd,
            Self::DeleteWord => InputRequest::DeletePrevWord,
            Self::DeleteLine => InputRequest::DeleteLine,
        }
    }
}

/// Every id that a keymap may name.
#[must_use]
pub fn keymap_ids() -> Vec<&'static str> {
    Action::IDS.iter().chain(TextEdit::IDS).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Keymap;

    #[test]
    fn every_action_has_one_sentence_and_an_id_that_finds_it() {
        for action in Action::ALL {
            assert_eq!(Action::from_id(action.id()), Some(*action));
            assert!(action.doc().ends_with('.') && action.doc().len() <= 64, "{action:?}: {}", action.doc());
        }
    }

    #[test]
    fn the_shipped_keymap_names_only_actions_that_exist() {
        let (map, _) = Keymap::with_user_file(None, &keymap_ids()).unwrap();
        let unbound: Vec<_> = keymap_ids().into_iter().filter(|id| map.key_of(id).is_none()).collect();
        assert!(unbound.is_empty(), "{unbound:?}");
    }
}
