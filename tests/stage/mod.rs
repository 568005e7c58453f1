//! The dashboard on a terminal of cells.

#![allow(dead_code)] // no test needs all of it
#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in test functions; their builders stand outside"
)]

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use roofswap::application::forecast;
use roofswap::progress::Progress;
use roofswap::session::{Added, Session};
use roofswap::train::{learned, trainers};
use roofswap::tui::{
    DashboardOptions, DashboardState, Effect, ImportedFile, Message, UserFile, first_state, update, view,
};

/// The first screen with what ships, and the terminal's width and height.
pub struct Dashboard {
    pub state: DashboardState,
    pub size: (u16, u16),
}

pub fn dashboard(width: u16, height: u16) -> Dashboard {
    let shipped = Session::load(None).expect("what ships loads");
    let state = first_state(shipped, &DashboardOptions::default()).expect("the first screen");
    let mut d = Dashboard { state, size: (width, height) };
    update(&mut d.state, Message::Resize(width, height));
    d
}

/// A picked file, as the worker hands it over.
pub fn imported(session: Session, path: std::path::PathBuf, added: Added) -> Box<ImportedFile> {
    Box::new(ImportedFile { session, file: UserFile { path, gpu: None }, added })
}

impl Dashboard {
    /// Sends a message, and the answers of the worker to what it asks, until nothing is left to answer.
    pub fn play(&mut self, message: Message) {
        for effect in update(&mut self.state, message) {
            if let Some(answer) = worker_answer(effect) {
                self.play(answer);
            }
        }
    }

    /// Every cell, as snapshots keep it.
    pub fn screen(&self) -> String {
        let mut terminal = Terminal::new(TestBackend::new(self.size.0, self.size.1)).unwrap();
        terminal.draw(|frame| view(frame, &self.state)).unwrap();
        terminal.backend().to_string()
    }

    /// Every cell of every line; a wide letter has the cell of its second half empty.
    pub fn cells(&self) -> Vec<Vec<String>> {
        let mut terminal = Terminal::new(TestBackend::new(self.size.0, self.size.1)).unwrap();
        terminal.draw(|frame| view(frame, &self.state)).unwrap();
        let cells = terminal.backend().buffer().content();
        let lines = cells.chunks(usize::from(self.size.0));
        lines.map(|line| line.iter().map(|cell| cell.symbol().to_string()).collect()).collect()
    }
}

/// What the worker would answer to a question; none for what is none.
fn worker_answer(effect: Effect) -> Option<Message> {
    let nothing = Progress::default();
    match effect {
        Effect::Rank(question) => {
            let board = question.rank_rows(&nothing)?;
            Some(Message::Ranked(Some(Box::new((question.asked.clone(), board)))))
        }
        Effect::WhatIfChanged(question) => {
            Some(Message::WhatIfChanged(question.answer_changed(&nothing).map(Box::new)))
        }
        Effect::Survey { session, of } => {
            let survey = session.survey(&of, &nothing)?;
            Some(Message::Surveyed(Some(Box::new((survey, learned(&trainers(1), Vec::new()))))))
        }
        Effect::Forecast { session, application, source, targets, settings } => {
            Some(Message::Forecast(Some(forecast(&session, &application, source, &targets, settings))))
        }
        _ => None,
    }
}
