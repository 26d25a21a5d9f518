import de.jplag.JPlag;
import de.jplag.JPlagComparison;
import de.jplag.JPlagResult;
import de.jplag.Language;
import de.jplag.options.JPlagOptions;
import java.io.BufferedOutputStream;
import java.io.File;
import java.io.PrintWriter;
import java.util.ServiceLoader;
import java.util.Set;

/**
 * JPlag with its defaults, all pairs: `WithJPlag LANGUAGE FOLDER`. What lies in the folder, file
 * or folder, is a submission. Every comparison holds its matches, so passages cost no more.
 */
public final class WithJPlag {
    private WithJPlag() {
    }

    private static Language language(String name) {
        for (Language language : ServiceLoader.load(Language.class)) {
            if (language.getIdentifier().equals(name)) {
                return language;
            }
        }
        throw new IllegalArgumentException("JPlag knows no language " + name);
    }

    private static void write(JPlagResult result) {
        try (var out = new PrintWriter(new BufferedOutputStream(System.out))) {
            out.println("a\tb\taverage\tmaximum\tmatched");
            for (JPlagComparison pair : result.getAllComparisons()) {
                out.println(pair.firstSubmission().getName() + "\t"
                        + pair.secondSubmission().getName() + "\t" + pair.similarity() + "\t"
                        + pair.maximalSimilarity() + "\t" + pair.getNumberOfMatchedTokens());
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        var options = new JPlagOptions(language(arguments[0]), Set.of(new File(arguments[1])),
                Set.of());
        write(JPlag.run(options));
    }
}
