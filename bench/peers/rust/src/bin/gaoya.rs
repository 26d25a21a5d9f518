//! gaoya: character 9-shingles of the lower-cased text, bands by its own choice.

use gaoya::minhash::{calculate_minhash_params, MinHashIndex, MinHasher, MinHasher32};
use gaoya::text::shingle_text;
use peers::{run, Peer, THRESHOLD};

struct Gaoya<H: MinHasher<V = u32>> {
    hasher: H,
    index: MinHashIndex<u32, usize>,
}

impl<H: MinHasher<V = u32> + Sync> Peer for Gaoya<H> {
    type Sketch = Vec<u32>;

    fn sketch(&self, text: &str) -> Self::Sketch {
        let text = text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
        self.hasher.create_signature(shingle_text(&text, 9))
    }

    fn keep_or_find(&mut self, number: usize, sketch: Self::Sketch) -> Option<usize> {
        let found = self.index.query_one(&sketch).map(|(&id, _)| id);
        if found.is_none() {
            self.index.insert(number, sketch);
        }
        found
    }
}

fn main() -> std::io::Result<()> {
    let (bands, rows) = calculate_minhash_params(THRESHOLD, 128);
    run(Gaoya {
        hasher: MinHasher32::new(bands * rows),
        index: MinHashIndex::new(bands, rows, THRESHOLD),
    })
}
