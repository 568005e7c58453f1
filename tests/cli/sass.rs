//! Listings of machine code: real ones against a plain count of their words, damaged ones against patience, and the command.

#![allow(clippy::unwrap_used, clippy::print_stderr)] // helpers of tests are tests; a skipped check says so

use crate::desk;
use crate::mutations;
use crate::skipping::skip_aloud;

use desk::Desk;
use roofswap::compiler::sass::{OpcodeKind, SassListing, Special, compare, read_listing, translation};
use roofswap::kernel::VectorPrecision;
use std::path::PathBuf;

const MAXWELL: &str = "cuobjdump_sass.sm_52.txt";
const ADA: &str = "nvdisasm.sm_89.txt";

fn sample(name: &str) -> Option<(PathBuf, String)> {
    let path = PathBuf::from(env!("ROOFSWAP_CHECKOUT")).join("../shared/samples/compiler").join(name);
    if let Ok(bytes) = std::fs::read(&path) {
        return Some((path, String::from_utf8_lossy(&bytes).into_owned()));
    }
    skip_aloud(&format!("no ../shared/samples/compiler/{name} here"));
    None
}

/// How often an opcode's name stands as a word in the part of a listing that belongs to a function.
fn words(text: &str, begins: &str, next: &str, opcodes: &[&str]) -> u32 {
    let from = text.find(begins).unwrap() + begins.len();
    let part = &text[from..];
    let part = &part[..part.find(next).unwrap_or(part.len())];
    let is = |line: &str| {
        line.split_whitespace().any(|w| opcodes.iter().any(|o| w == *o || w.starts_with(&format!("{o}."))))
    };
    part.lines().filter(|l| is(l)).count() as u32
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn real_listings_are_counted_as_their_words_are() {
    for (name, arch, begins, next) in [
        (MAXWELL, "sm_52", "Function : ", "Function : "),
        (ADA, "sm_89", ".text.", "//---------------------"),
    ] {
        let Some((_, text)) = sample(name) else { return };
        let listing = read_listing(text.as_bytes(), name, None).unwrap();
        assert_eq!((listing.functions.len(), listing.refused_count), (16, 0), "{name}");
        for f in &listing.functions {
            assert_eq!(f.architecture.to_string(), arch);
            let begins = if name == ADA {
                format!("\n{begins}{}:", f.symbol)
            } else {
                format!("{begins}{}\n", f.symbol)
            };
            for (kind, opcodes) in [
                (OpcodeKind::Ffma, &["FFMA", "FFMA32I"][..]),
                (OpcodeKind::Fadd, &["FADD", "FADD32I"]),
                (OpcodeKind::GlobalLoad, &["LDG"]),
                (OpcodeKind::GlobalStore, &["STG"]),
                (OpcodeKind::SharedLoad, &["LDS"]),
                (OpcodeKind::SharedStore, &["STS"]),
                (OpcodeKind::Mufu, &["MUFU"]),
            ] {
                let counted = words(&text, &begins, next, opcodes);
                assert_eq!(f.kind_count(kind), counted, "{name}: {} {}", f.name, kind.as_str());
            }
            assert_eq!(f.kind_count(OpcodeKind::Other), 0, "{name}: {}: an opcode of no class", f.name);
        }
    }
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn two_real_listings_have_the_same_arithmetic() {
    let (Some((_, a)), Some((_, b))) = (sample(MAXWELL), sample(ADA)) else { return };
    let [a, b] =
        [(a, MAXWELL), (b, ADA)].map(|(text, name)| read_listing(text.as_bytes(), name, None).unwrap());
    let mut special = 0;
    for f in &a.functions {
        let g = b.named(&f.symbol).next().unwrap();
        let t = translation(&compare(f, g));
        assert_eq!((t.from.as_str(), t.to.as_str()), ("sm_52", "sm_89"));
        special += compare(f, g).pairs.len();
        // The study's kernels have no divisions: nothing expands, so nothing is corrected.
        assert_eq!(t.single.rewrite_factor(), 1.0, "{}", f.name);
        assert_eq!((t.single.least, t.single.most), (1.0, 1.0));
    }
    assert_eq!(special, 0);
    // conv2d_7x7 is unrolled: 49 FFMA in one block, on both.
    for listing in [&a, &b] {
        assert_eq!(listing.named("conv2d_7x7").next().unwrap().operations(VectorPrecision::Single).fma, 49.0);
    }
}

/// A listing of our own in the form of cuobjdump: a long mangled name, control words, a division and a sine.
fn own() -> String {
    let mut text = String::from("\nFatbin elf code:\n================\narch = sm_75\n\n\tcode for sm_75\n");
    let names = ["_Z4tmplILi128EEvPf".to_string(), format!("_Z300{}v", "a".repeat(300))];
    for name in names {
        text += &format!(
            "\t\tFunction : {name}\n\t.headerflags    @\"EF_CUDA_SM75 EF_CUDA_PTX_SM(EF_CUDA_SM75)\"\n"
        );
        for (i, line) in [
            "MOV R1, c[0x0][0x28]",
            "FMUL R0, R0, 0.63661974668502807617",
            "@!P0 BRA 0x60",
            "MUFU.RCP R2, R0",
            "FFMA R3, R2, R0, -R3",
            "FCHK P0, R0, R2",
            "MUFU.SIN R4, R0",
            "I2F.U32.RP R5, R6",
            "MUFU.RCP R5, R5",
            "F2I.FTZ.U32.TRUNC.NTZ R6, R5",
            "STG.E.SYS [R2], R4",
            "EXIT",
            "BRA 0xc0",
        ]
        .into_iter()
        .enumerate()
        {
            text += &format!(
                "        /*{:04x}*/                   {line} ;  /* 0x00000a0000017a02 */\n{}/* 0x000fc40000000f00 */\n",
                16 * i,
                " ".repeat(60)
            );
        }
        text += "\t\t......................\n\n        /*0000*/ \t.byte\t0xff, 0xff, 0x04\n";
    }
    text
}

#[test]
fn special_functions_are_recognised_by_what_they_are_made_of() {
    let listing = read_listing(own().as_bytes(), "own.txt", None).unwrap();
    assert_eq!((listing.functions.len(), listing.refused_count), (2, 0), "{:?}", listing.refused);
    let f = listing.named("tmpl").next().unwrap();
    assert_eq!((f.name.as_str(), f.instructions()), ("tmpl<128>", 12));
    let by_block: Vec<&[Special]> = f.blocks.iter().map(|b| &b.special[..]).collect();
    let expected: [&[Special]; 3] =
        [&[Special::AngleReduction], &[Special::Division], &[Special::IntegerDivision, Special::Sine]];
    assert_eq!(by_block, expected);
}

#[test]
fn a_sine_whose_source_has_no_flops_has_no_limit() {
    // As ptxas 12 writes sin.approx.f32 for 5.2 and for 9.0: RRO there, a multiplication by 1/(2 pi) here.
    let code = |arch: &str, reduce: &str| {
        let text = format!(
            "code for {arch}\nFunction : snf\n/*0000*/ {reduce} ;\n/*0010*/ MUFU.SIN R5, R0 ;\n/*0020*/ EXIT ;\n"
        );
        read_listing(text.as_bytes(), "l", None).unwrap()
    };
    let (old, new) =
        (code("sm_52", "RRO.SINCOS R0, R2"), code("sm_90", "FMUL.RZ R0, R2, 0.15915493667125701904"));
    let t = translation(&compare(&old.functions[0], &new.functions[0]));
    assert_eq!(
        (t.single.source.flops(), t.single.target.flops(), t.single.rewrite_factor()),
        (0.0, 1.0, 1.0)
    );
    assert!(t.single.most.is_infinite());
    let back = translation(&compare(&new.functions[0], &old.functions[0]));
    assert_eq!((back.single.rewrite_factor(), back.single.least, back.single.most), (0.0, 0.0, 0.0));
}

/// What any listing must satisfy, however damaged its file was.
fn sound(listing: &SassListing) {
    for f in &listing.functions {
        let sum = f.blocks.iter().fold(0u32, |s, b| s + b.instructions());
        assert_eq!(sum, f.instructions());
        assert!(f.blocks.windows(2).all(|w| w[0].address < w[1].address), "{}", f.name);
        let t = translation(&compare(f, f));
        assert_eq!((t.single.rewrite_factor(), t.double.rewrite_factor()), (1.0, 1.0));
        for g in listing.functions.iter().take(4) {
            let r = compare(f, g).rewritten(VectorPrecision::Single);
            assert!(r.rewrite_factor() >= 0.0 && r.least <= r.most && r.target.total() >= 0.0);
        }
    }
    assert!(listing.refused.len() <= listing.refused_count);
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn damaged_listings_are_answered_with_functions_or_an_error() {
    let mut seeds = vec![own().into_bytes()];
    for name in [MAXWELL, ADA] {
        // A part is enough: the samples are large.
        seeds.extend(sample(name).map(|(_, text)| text.into_bytes()[..20_000].to_vec()));
    }
    mutations::replay("sass", &seeds, |bytes| match read_listing(bytes, "x.sm_80.txt", None) {
        Ok(listing) => sound(&listing),
        Err(e) => assert!(e.to_string().len() > 10, "{e}"),
    });
}

#[test]
fn other_encodings_and_line_ends_read_the_same() {
    let plain = read_listing(own().as_bytes(), "own.txt", None).unwrap();
    let windows = read_listing(own().replace('\n', "\r\n").as_bytes(), "own.txt", None).unwrap();
    let utf16: Vec<u8> = format!("\u{feff}{}", own()).encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(windows.functions, plain.functions);
    assert_eq!(read_listing(&utf16, "own.txt", None).unwrap().functions, plain.functions);
}

#[test]
fn the_command_prints_the_mix_and_the_comparison() {
    let desk = Desk::new();
    desk.file("a.txt", own());
    let more = own()
        .replace("sm_75", "sm_90")
        .replace("SM75", "SM90")
        .replace("FCHK P0, R0, R2", "FFMA R3, R3, R2, R3");
    desk.file("b.txt", more);
    let mix = desk.types("sass a.txt --kernel tmpl").works().stdout;
    assert!(mix.contains("tmpl<128>") && mix.contains("sm_75") && mix.contains("integer division"), "{mix}");
    assert!(mix.contains("counts are of the code, not of a run") && !mix.contains("tensor"), "{mix}");
    let rows = desk.types("sass a.txt --format json").works().json();
    assert_eq!((rows.len(), &rows[0]["ffma"], &rows[0]["mufu"]), (2, &1.into(), &3.into()));
    let blocks = desk.types("sass a.txt --kernel tmpl --blocks --format json").works().json();
    assert_eq!((blocks.len(), &blocks[1]["block"]), (3, &"0x30".into()));
    let rows = desk.types("sass a.txt b.txt --kernel tmpl --format json").works().json();
    // FMUL and FFMA are 3 FLOPs; one FFMA more is 5. The division alone goes from 2 to 4.
    let number = |key: &str| rows[0][key].as_f64().unwrap();
    assert_eq!((number("source_flops"), number("target_flops")), (3.0, 5.0));
    assert_eq!((number("least"), number("most")), (1.0, 2.0));
    let pairs = desk.types("sass a.txt b.txt --kernel tmpl --blocks --format csv").works().stdout;
    assert!(pairs.contains("division,0x30,0x30,2,4,0,0"), "{pairs}");
}

#[test]
fn what_cannot_be_answered_is_said() {
    let desk = Desk::new();
    desk.file("a.txt", own());
    desk.file("c.txt", own().replace("_Z4tmplILi128EEvPf", "other").replace("_Z300", "_Z300b"));
    desk.file("n.txt", "no listing at all\n");
    let unknown = desk.types("sass a.txt --kernel nothing");
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("has no kernel `nothing`; it has tmpl<128>"), "{}", unknown.stderr);
    let strangers = desk.types("sass a.txt c.txt");
    assert!(strangers.code == 1 && strangers.stderr.contains("no kernel in common"), "{}", strangers.stderr);
    desk.file("p.txt", "\tcode for sm_89\n\t\tFunction : plain\n        /*0000*/    FADD R5, R2, R3 ;\n        /*0010*/    EXIT ;\n");
    let plain = desk.types("sass p.txt p.txt --blocks").works();
    assert!(plain.stderr.contains("p.txt and p.txt have no blocks to pair"), "{}", plain.stderr);
    let none = desk.types("sass n.txt");
    assert!(
        none.code == 1 && none.stderr.contains("n.txt: has no function with instructions"),
        "{}",
        none.stderr
    );
}
