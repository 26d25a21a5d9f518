// Dolos with its defaults, all pairs: `with_dolos.mjs LANGUAGE FOLDER [PASSAGES]`, where PASSAGES
// is how many of the most similar pairs get their passages, too: Dolos makes these on demand.
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { Dolos } from "@dodona/dolos-lib";

const [language, folder, passages] = process.argv.slice(2);
const paths = readdirSync(folder).sort().map(name => join(folder, name));
const report = await new Dolos({ language }).analyzePaths(paths);
const pairs = report.allPairs();
for (const pair of pairs.slice(0, Number(passages ?? 0)))
    pair.buildFragments();

const lines = ["a\tb\tsimilarity\toverlap\tlongest"];
for (const { leftFile, rightFile, similarity, overlap, longest } of pairs)
    lines.push([basename(leftFile.path), basename(rightFile.path), similarity, overlap,
        longest].join("\t"));
process.stdout.write(lines.join("\n") + "\n");
