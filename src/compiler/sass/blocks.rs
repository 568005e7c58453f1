//! Instructions of one function cut into basic blocks.

use super::line::{BranchTarget, Instruction};
use super::opcode::OpcodeKind;
use super::special::Special;
use crate::kernel::{Operations, VectorPrecision};
use std::collections::{BTreeSet, HashMap};

/// A stretch of instructions that run together.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Where it begins in the function.
    pub address: u64,
    /// Whether it belongs to a subroutine that the function calls.
    pub subroutine: bool,
    /// How many instructions of each class, in the order of [`OpcodeKind::ALL`].
    counts: [u32; OpcodeKind::ALL.len()],
    /// Special functions whose expansion it holds, each once, in a fixed order.
    pub special: Vec<Special>,
}

impl Block {
    /// Instructions of this class.
    #[must_use]
    pub fn kind_count(&self, kind: OpcodeKind) -> u32 {
        self.counts[kind as usize]
    }

    /// All instructions.
    #[must_use]
    pub fn instructions(&self) -> u32 {
        self.counts.iter().fold(0, |a, b| a.saturating_add(*b))
    }

    /// Its arithmetic of one width.
    #[must_use]
    pub fn operations(&self, precision: VectorPrecision) -> Operations {
        let of = |kinds: [OpcodeKind; 3]| {
            let [fma, add, mul] = kinds.map(|k| f64::from(self.kind_count(k)));
            Operations { fma, add, mul }
        };
        match precision {
            VectorPrecision::Single => of([OpcodeKind::Ffma, OpcodeKind::Fadd, OpcodeKind::Fmul]),
            VectorPrecision::Double => of([OpcodeKind::Dfma, OpcodeKind::Dadd, OpcodeKind::Dmul]),
        }
    }
}

/// One instruction while its function is read.
#[derive(Debug)]
struct Noted {
    address: u64,
    kind: OpcodeKind,
    operations: u32,
    special: Option<Special>,
    target: Option<Destination>,
    call: bool,
    ends: bool,
    counts: bool,
}

/// A target that outlives its line.
#[derive(Debug)]
enum Destination {
    Address(u64),
    Label(String),
}

/// A function while it is read.
#[derive(Debug, Default)]
pub(super) struct Body {
    instructions: Vec<Noted>,
    labels: HashMap<String, u64>,
    /// Labels since the last instruction.
    pending: Vec<String>,
}

impl Body {
    pub(super) fn add_label(&mut self, name: &str) {
        self.pending.push(name.to_string());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.instructions.is_empty()
    }

    /// The last address that was read.
    pub(super) fn last(&self) -> Option<u64> {
        self.instructions.last().map(|i| i.address)
    }

    pub(super) fn push(&mut self, i: &Instruction<'_>) {
        for label in self.pending.drain(..) {
            self.labels.insert(label, i.address);
        }
        let (kind, operations) = i.kind();
        let target = i.target().map(|t| match t {
            BranchTarget::Address(address) => Destination::Address(address),
            BranchTarget::Label(label) => Destination::Label(label.to_string()),
        });
        self.instructions.push(Noted {
            address: i.address,
            kind,
            operations,
            special: Special::from_instruction(i),
            target,
            call: i.is_call(),
            ends: i.ends_block(),
            counts: i.base() != "NOP",
        });
    }

    fn block_start(&self, target: &Destination) -> Option<u64> {
        match target {
            Destination::Address(address) => Some(*address),
            Destination::Label(label) => self.labels.get(label).copied(),
        }
    }

    /// The blocks, in order. Padding (`NOP`, and the branch to itself behind the end) is no instruction.
    pub(super) fn basic_blocks(&self) -> Vec<Block> {
        let mut leaders: BTreeSet<u64> = self.labels.values().copied().collect();
        let mut calls = Vec::new();
        for i in &self.instructions {
            let place = i.target.as_ref().and_then(|t| self.block_start(t));
            leaders.extend(place);
            calls.extend(place.filter(|_| i.call));
        }
        // Subroutines stand behind their callers.
        let subroutines = calls.into_iter().min().unwrap_or(u64::MAX);
        let mut out: Vec<Block> = Vec::new();
        let mut begins = true;
        for i in &self.instructions {
            let itself = i.target.as_ref().and_then(|t| self.block_start(t)) == Some(i.address);
            if !i.counts || itself {
                begins = true;
                continue;
            }
            if begins || leaders.contains(&i.address) {
                out.push(Block {
                    address: i.address,
                    subroutine: i.address >= subroutines,
                    counts: [0; OpcodeKind::ALL.len()],
                    special: Vec::new(),
                });
            }
            if let Some(block) = out.last_mut() {
                let count = &mut block.counts[i.kind as usize];
                *count = count.saturating_add(i.operations);
                block.special.extend(i.special.filter(|s| !block.special.contains(s)));
            }
            begins = i.ends;
        }
        out.iter_mut().for_each(settle);
        out
    }
}

/// A reciprocal between conversions of integers is an integer division.
fn settle(block: &mut Block) {
    if block.kind_count(OpcodeKind::Conversion) >= 2 {
        for special in block.special.iter_mut().filter(|s| **s == Special::Division) {
            *special = Special::IntegerDivision;
        }
    }
    block.special.sort_unstable();
}
