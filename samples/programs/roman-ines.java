import java.util.Scanner;

/** Exercise 2: turns numbers into Roman numerals and back, one word a line. */
class Roman {
    private static final int[] VALUES = {1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1};
    private static final String[] SIGNS = {
        "M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"
    };

    /** Takes the largest sign that still fits, again and again. */
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

    /** Eats the signs from the left; writing the result again exposes a wrong order. */
    static int fromRoman(String roman) {
        int number = 0;
        int position = 0;
        for (int i = 0; i < SIGNS.length; i++) {
            while (roman.startsWith(SIGNS[i], position)) {
                number += VALUES[i];
                position += SIGNS[i].length();
            }
        }
        if (position < roman.length() || !toRoman(number).equals(roman)) {
            throw new IllegalArgumentException(roman + " is not a Roman numeral");
        }
        return number;
    }

    public static void main(String[] args) {
        Scanner input = new Scanner(System.in);
        while (input.hasNext()) {
            String word = input.next();
            try {
                boolean digits = Character.isDigit(word.charAt(0));
                System.out.println(digits ? toRoman(Integer.parseInt(word)) : fromRoman(word));
            } catch (IllegalArgumentException problem) {
                System.out.println("? " + word);
            }
        }
    }
}
