import java.util.Scanner;

/** Roman numerals with an enum: every sign knows what it is worth. */
class RomanNumerals {
    enum Sign {
        I(1), V(5), X(10), L(50), C(100), D(500), M(1000);

        final int worth;

        Sign(int worth) {
            this.worth = worth;
        }
    }

    /** A smaller sign before a larger one is taken away, every other one is added. */
    static int read(String text) {
        int sum = 0;
        int last = 0;
        for (int i = text.length() - 1; i >= 0; i--) {
            int worth = Sign.valueOf(text.substring(i, i + 1)).worth;
            sum += worth < last ? -worth : worth;
            last = Math.max(last, worth);
        }
        if (!toRoman(sum).equals(text)) {
            throw new IllegalArgumentException(text);
        }
        return sum;
    }

    private static final int[] VALUES = {1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1};
    private static final String[] SIGNS = {
        "M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"
    };

    static String toRoman(int number) {
        if (number < 1 || number > 3999) {
            throw new IllegalArgumentException(number + " has no Roman numeral");
        }
        StringBuilder roman = new StringBuilder();
        for (int i = 0; i < VALUES.length; i++) {
            while (number >= VALUES[i]) {
                roman.append(SIGNS[i]);
                number -= VALUES[i];
            }
        }
        return roman.toString();
    }

    static String answer(String word) {
        try {
            return word.matches("[0-9]+") ? toRoman(Integer.parseInt(word)) : "" + read(word);
        } catch (IllegalArgumentException e) {
            return "? " + word;
        }
    }

    public static void main(String[] args) {
        new Scanner(System.in).tokens().map(RomanNumerals::answer).forEach(System.out::println);
    }
}
