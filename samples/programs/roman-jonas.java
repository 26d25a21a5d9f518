import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.HashMap;
import java.util.Map;

// A Roman numeral is written digit by digit, exactly like ours, only with other
// letters for each place. So there are at most 3999 of them: I write down all of
// them once, and both directions are a look into the table.
class RomanTable {
    static final String[] PATTERN = {"", "a", "aa", "aaa", "ab", "b", "ba", "baa", "baaa", "ac"};
    static final String[] LETTERS = {"IVX", "XLC", "CDM", "M"};

    static String digit(int d, int place) {
        String s = PATTERN[d];
        for (int i = 0; i < LETTERS[place].length(); ++i)
            s = s.replace((char) ('a' + i), LETTERS[place].charAt(i));
        return s;
    }

    static String write(int n) {
        return digit(n / 1000, 3) + digit(n / 100 % 10, 2) + digit(n / 10 % 10, 1)
                + digit(n % 10, 0);
    }

    public static void main(String[] args) throws IOException {
        Map<String, String> table = new HashMap<>();
        for (int n = 1; n < 4000; ++n) {
            table.put(write(n), String.valueOf(n));
            table.put(String.valueOf(n), write(n));
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String key = line.trim();
            if (!key.isEmpty())
                System.out.println(table.getOrDefault(key, "? " + key));
        }
    }
}
