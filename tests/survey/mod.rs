//! What can be counted about the sources without compiling them: functions, types, parameters, circles of files.
//! Read by the wall test and by the table of measures (`just measures`); only the standard library.

pub mod circles;
pub mod debts;
pub mod functions;
pub mod measures;
pub mod sources;
pub mod tokens;
pub mod types;
