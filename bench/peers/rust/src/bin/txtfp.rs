//! txtfp: word 5-shingles, its "sweet spot" for deduplication, bands by its own choice.

use peers::{run, Peer, THRESHOLD};
use txtfp::{
    Canonicalizer, Fingerprinter, LshIndex, LshIndexBuilder, MinHashFingerprinter, MinHashSig,
    ShingleTokenizer, WordTokenizer,
};

struct Txtfp {
    fingerprinter: MinHashFingerprinter<ShingleTokenizer<WordTokenizer>, 128>,
    index: LshIndex<128>,
}

impl Peer for Txtfp {
    type Sketch = MinHashSig<128>;

    fn sketch(&self, text: &str) -> Self::Sketch {
        self.fingerprinter.fingerprint(text).expect("a signature")
    }

    fn keep_or_find(&mut self, number: usize, sketch: Self::Sketch) -> Option<usize> {
        let found = self.index.query_with_threshold(&sketch, THRESHOLD as f32);
        if found.is_empty() {
            self.index.insert(number as u64, sketch);
        }
        found.first().map(|&id| id as usize)
    }
}

fn main() -> std::io::Result<()> {
    let tokenizer = ShingleTokenizer { k: 5, inner: WordTokenizer };
    run(Txtfp {
        fingerprinter: MinHashFingerprinter::new(Canonicalizer::default(), tokenizer),
        index: LshIndexBuilder::for_threshold(THRESHOLD as f32, 128).expect("bands").build(),
    })
}
