"""Two exercises, each solved by two authors, and each solution translated by hand into four
languages, as a person would do who knows them: `names_like_this` become `namesLikeThis`, lists
become arrays or vectors, and loops over ranges become counted ones.

Programs of one author for one exercise are translations of each other; all others are independent.
"""

FUEL_ANNA = {
    ".py": '''
def read_stations(count):
    stations = []
    for _ in range(count):
        price, distance = map(int, input().split())
        stations.append((price, distance))
    return stations


def cheapest_trip(stations, tank_size):
    total_cost = 0
    fuel_left = 0
    for i in range(len(stations)):
        price = stations[i][0]
        needed = stations[i][1]
        next_cheaper = i + 1
        reach = stations[i][1]
        while next_cheaper < len(stations) and stations[next_cheaper][0] >= price:
            reach += stations[next_cheaper][1]
            next_cheaper += 1
        want = min(reach, tank_size)
        if want > fuel_left:
            total_cost += (want - fuel_left) * price
            fuel_left = want
        fuel_left -= needed
        if fuel_left < 0:
            return -1
    return total_cost


n, tank = map(int, input().split())
answer = cheapest_trip(read_stations(n), tank)
if answer < 0:
    print("impossible")
else:
    print(answer)
''',
    ".java": '''
import java.util.Scanner;

public class Fuel {
    private static final Scanner in = new Scanner(System.in);

    static int[][] readStations(int count) {
        int[][] stations = new int[count][2];
        for (int i = 0; i < count; i++) {
            stations[i][0] = in.nextInt();
            stations[i][1] = in.nextInt();
        }
        return stations;
    }

    static long cheapestTrip(int[][] stations, int tankSize) {
        long totalCost = 0;
        int fuelLeft = 0;
        for (int i = 0; i < stations.length; i++) {
            int price = stations[i][0];
            int needed = stations[i][1];
            int nextCheaper = i + 1;
            int reach = stations[i][1];
            while (nextCheaper < stations.length && stations[nextCheaper][0] >= price) {
                reach += stations[nextCheaper][1];
                nextCheaper++;
            }
            int want = Math.min(reach, tankSize);
            if (want > fuelLeft) {
                totalCost += (long) (want - fuelLeft) * price;
                fuelLeft = want;
            }
            fuelLeft -= needed;
            if (fuelLeft < 0) {
                return -1;
            }
        }
        return totalCost;
    }

    public static void main(String[] args) {
        int n = in.nextInt();
        int tank = in.nextInt();
        long answer = cheapestTrip(readStations(n), tank);
        if (answer < 0) {
            System.out.println("impossible");
        } else {
            System.out.println(answer);
        }
    }
}
''',
    ".cpp": '''
#include <algorithm>
#include <iostream>
#include <vector>

using namespace std;

struct Station {
    int price, distance;
};

vector<Station> readStations(int count)
{
    vector<Station> stations(count);
    for (auto &station : stations)
        cin >> station.price >> station.distance;
    return stations;
}

long long cheapestTrip(const vector<Station> &stations, int tankSize)
{
    long long totalCost = 0;
    int fuelLeft = 0;
    for (size_t i = 0; i < stations.size(); i++) {
        int price = stations[i].price;
        int needed = stations[i].distance;
        size_t nextCheaper = i + 1;
        int reach = stations[i].distance;
        while (nextCheaper < stations.size() && stations[nextCheaper].price >= price) {
            reach += stations[nextCheaper].distance;
            nextCheaper++;
        }
        int want = min(reach, tankSize);
        if (want > fuelLeft) {
            totalCost += (want - fuelLeft) * price;
            fuelLeft = want;
        }
        fuelLeft -= needed;
        if (fuelLeft < 0)
            return -1;
    }
    return totalCost;
}

int main()
{
    int n, tank;
    cin >> n >> tank;
    long long answer = cheapestTrip(readStations(n), tank);
    if (answer < 0)
        cout << "impossible" << endl;
    else
        cout << answer << endl;
}
''',
    ".js": '''
const lines = require("fs").readFileSync(0, "utf8").split("\\n");

function readStations(count) {
  const stations = [];
  for (let i = 1; i <= count; i++) {
    const [price, distance] = lines[i].split(" ").map(Number);
    stations.push([price, distance]);
  }
  return stations;
}

function cheapestTrip(stations, tankSize) {
  let totalCost = 0;
  let fuelLeft = 0;
  for (let i = 0; i < stations.length; i++) {
    const price = stations[i][0];
    const needed = stations[i][1];
    let nextCheaper = i + 1;
    let reach = stations[i][1];
    while (nextCheaper < stations.length && stations[nextCheaper][0] >= price) {
      reach += stations[nextCheaper][1];
      nextCheaper++;
    }
    const want = Math.min(reach, tankSize);
    if (want > fuelLeft) {
      totalCost += (want - fuelLeft) * price;
      fuelLeft = want;
    }
    fuelLeft -= needed;
    if (fuelLeft < 0) {
      return -1;
    }
  }
  return totalCost;
}

const [n, tank] = lines[0].split(" ").map(Number);
const answer = cheapestTrip(readStations(n), tank);
console.log(answer < 0 ? "impossible" : answer);
'''}

FUEL_BORIS = {
    ".py": '''
import sys

data = [int(word) for word in sys.stdin.read().split()]
stops, capacity = data[0], data[1]
litres = 0
paid = 0
queue = []
for k in range(stops):
    cost, leg = data[2 + 2 * k], data[3 + 2 * k]
    if leg > capacity:
        print("impossible")
        sys.exit()
    while queue and queue[-1][0] >= cost:
        litres -= queue.pop()[1]
    queue.append([cost, capacity - litres])
    litres = capacity
    while leg > 0:
        used = min(leg, queue[0][1])
        paid += used * queue[0][0]
        queue[0][1] -= used
        leg -= used
        litres -= used
        if queue[0][1] == 0:
            queue.pop(0)
print(paid)
''',
    ".java": '''
import java.util.*;

class Main {
    public static void main(String[] argv) {
        Scanner data = new Scanner(System.in);
        int stops = data.nextInt(), capacity = data.nextInt();
        int litres = 0;
        long paid = 0;
        ArrayDeque<int[]> queue = new ArrayDeque<>();
        for (int k = 0; k < stops; ++k) {
            int cost = data.nextInt(), leg = data.nextInt();
            if (leg > capacity) {
                System.out.println("impossible");
                return;
            }
            while (!queue.isEmpty() && queue.peekLast()[0] >= cost)
                litres -= queue.pollLast()[1];
            queue.addLast(new int[] {cost, capacity - litres});
            litres = capacity;
            while (leg > 0) {
                int used = Math.min(leg, queue.peekFirst()[1]);
                paid += (long) used * queue.peekFirst()[0];
                queue.peekFirst()[1] -= used;
                leg -= used;
                litres -= used;
                if (queue.peekFirst()[1] == 0)
                    queue.pollFirst();
            }
        }
        System.out.println(paid);
    }
}
''',
    ".cpp": '''
#include <cstdio>
#include <deque>
#include <utility>

int main()
{
    int stops, capacity;
    scanf("%d%d", &stops, &capacity);
    int litres = 0;
    long long paid = 0;
    std::deque<std::pair<int, int>> queue;
    for (int k = 0; k < stops; ++k) {
        int cost, leg;
        scanf("%d%d", &cost, &leg);
        if (leg > capacity) {
            puts("impossible");
            return 0;
        }
        while (!queue.empty() && queue.back().first >= cost) {
            litres -= queue.back().second;
            queue.pop_back();
        }
        queue.push_back({cost, capacity - litres});
        litres = capacity;
        while (leg > 0) {
            int used = std::min(leg, queue.front().second);
            paid += 1LL * used * queue.front().first;
            queue.front().second -= used;
            leg -= used;
            litres -= used;
            if (queue.front().second == 0)
                queue.pop_front();
        }
    }
    printf("%lld\\n", paid);
}
''',
    ".js": '''
const data = require("fs").readFileSync(0, "utf8").split(/\\s+/).map(Number);
const stops = data[0], capacity = data[1];
let litres = 0;
let paid = 0;
const queue = [];
for (let k = 0; k < stops; ++k) {
  const cost = data[2 + 2 * k];
  let leg = data[3 + 2 * k];
  if (leg > capacity) {
    console.log("impossible");
    process.exit();
  }
  while (queue.length && queue[queue.length - 1][0] >= cost) {
    litres -= queue.pop()[1];
  }
  queue.push([cost, capacity - litres]);
  litres = capacity;
  while (leg > 0) {
    const used = Math.min(leg, queue[0][1]);
    paid += used * queue[0][0];
    queue[0][1] -= used;
    leg -= used;
    litres -= used;
    if (queue[0][1] === 0) {
      queue.shift();
    }
  }
}
console.log(paid);
'''}

WORDS_CHLOE = {
    ".py": '''
def distance(left, right):
    table = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for row in range(len(left) + 1):
        table[row][0] = row
    for column in range(len(right) + 1):
        table[0][column] = column
    for row in range(1, len(left) + 1):
        for column in range(1, len(right) + 1):
            change = table[row - 1][column - 1]
            if left[row - 1] != right[column - 1]:
                change += 1
            remove = table[row - 1][column] + 1
            insert = table[row][column - 1] + 1
            table[row][column] = min(change, min(remove, insert))
    return table[len(left)][len(right)]


def best_match(word, dictionary):
    best, best_distance = None, 100
    for entry in dictionary:
        current = distance(word, entry)
        if current < best_distance or (current == best_distance and entry < best):
            best = entry
            best_distance = current
    return best


dictionary = input().split()
for word in input().split():
    if word not in dictionary:
        print(word, "->", best_match(word, dictionary))
''',
    ".java": '''
import java.util.*;

public class Spelling {
    static int distance(String left, String right) {
        int[][] table = new int[left.length() + 1][right.length() + 1];
        for (int row = 0; row <= left.length(); row++) {
            table[row][0] = row;
        }
        for (int column = 0; column <= right.length(); column++) {
            table[0][column] = column;
        }
        for (int row = 1; row <= left.length(); row++) {
            for (int column = 1; column <= right.length(); column++) {
                int change = table[row - 1][column - 1];
                if (left.charAt(row - 1) != right.charAt(column - 1)) {
                    change += 1;
                }
                int remove = table[row - 1][column] + 1;
                int insert = table[row][column - 1] + 1;
                table[row][column] = Math.min(change, Math.min(remove, insert));
            }
        }
        return table[left.length()][right.length()];
    }

    static String bestMatch(String word, List<String> dictionary) {
        String best = null;
        int bestDistance = 100;
        for (String entry : dictionary) {
            int current = distance(word, entry);
            if (current < bestDistance
                || (current == bestDistance && entry.compareTo(best) < 0)) {
                best = entry;
                bestDistance = current;
            }
        }
        return best;
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        List<String> dictionary = Arrays.asList(in.nextLine().split(" "));
        for (String word : in.nextLine().split(" ")) {
            if (!dictionary.contains(word)) {
                System.out.println(word + " -> " + bestMatch(word, dictionary));
            }
        }
    }
}
''',
    ".cpp": '''
#include <algorithm>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>
using namespace std;

int distanceOf(const string &left, const string &right)
{
    vector<vector<int>> table(left.size() + 1, vector<int>(right.size() + 1));
    for (int row = 0; row <= left.size(); row++)
        table[row][0] = row;
    for (int column = 0; column <= right.size(); column++)
        table[0][column] = column;
    for (int row = 1; row <= left.size(); row++)
        for (int column = 1; column <= right.size(); column++) {
            int change = table[row - 1][column - 1];
            if (left[row - 1] != right[column - 1])
                change += 1;
            int remove = table[row - 1][column] + 1;
            int insert = table[row][column - 1] + 1;
            table[row][column] = min(change, min(remove, insert));
        }
    return table[left.size()][right.size()];
}

string bestMatch(const string &word, const vector<string> &dictionary)
{
    string best;
    int bestDistance = 100;
    for (const string &entry : dictionary) {
        int current = distanceOf(word, entry);
        if (current < bestDistance || (current == bestDistance && entry < best)) {
            best = entry;
            bestDistance = current;
        }
    }
    return best;
}

vector<string> readWords()
{
    string line, word;
    vector<string> words;
    getline(cin, line);
    istringstream stream(line);
    while (stream >> word)
        words.push_back(word);
    return words;
}

int main()
{
    vector<string> dictionary = readWords();
    for (const string &word : readWords())
        if (find(dictionary.begin(), dictionary.end(), word) == dictionary.end())
            cout << word << " -> " << bestMatch(word, dictionary) << endl;
}
''',
    ".js": '''
const [first, second] = require("fs").readFileSync(0, "utf8").split("\\n");

function distance(left, right) {
  const table = [];
  for (let row = 0; row <= left.length; row++) {
    table.push(new Array(right.length + 1).fill(0));
    table[row][0] = row;
  }
  for (let column = 0; column <= right.length; column++) {
    table[0][column] = column;
  }
  for (let row = 1; row <= left.length; row++) {
    for (let column = 1; column <= right.length; column++) {
      let change = table[row - 1][column - 1];
      if (left[row - 1] !== right[column - 1]) {
        change += 1;
      }
      const remove = table[row - 1][column] + 1;
      const insert = table[row][column - 1] + 1;
      table[row][column] = Math.min(change, Math.min(remove, insert));
    }
  }
  return table[left.length][right.length];
}

function bestMatch(word, dictionary) {
  let best = null;
  let bestDistance = 100;
  for (const entry of dictionary) {
    const current = distance(word, entry);
    if (current < bestDistance || (current === bestDistance && entry < best)) {
      best = entry;
      bestDistance = current;
    }
  }
  return best;
}

const dictionary = first.split(" ");
for (const word of second.split(" ")) {
  if (!dictionary.includes(word)) {
    console.log(`${word} -> ${bestMatch(word, dictionary)}`);
  }
}
'''}

WORDS_DORA = {
    ".py": '''
from functools import lru_cache


@lru_cache(None)
def edits(a, b):
    if not a or not b:
        return len(a) + len(b)
    if a[0] == b[0]:
        return edits(a[1:], b[1:])
    return 1 + min(edits(a[1:], b), edits(a, b[1:]), edits(a[1:], b[1:]))


known = sorted(set(input().split()))
for typed in input().split():
    if typed in known:
        continue
    scores = [edits(typed, k) for k in known]
    print(typed, "->", known[scores.index(min(scores))])
''',
    ".java": '''
import java.util.*;

public class Main {
    static Map<String, Integer> memo = new HashMap<>();

    static int edits(String a, String b) {
        if (a.isEmpty() || b.isEmpty()) return a.length() + b.length();
        String key = a + "/" + b;
        if (memo.containsKey(key)) return memo.get(key);
        int result;
        if (a.charAt(0) == b.charAt(0))
            result = edits(a.substring(1), b.substring(1));
        else
            result = 1 + Math.min(edits(a.substring(1), b),
                                  Math.min(edits(a, b.substring(1)),
                                           edits(a.substring(1), b.substring(1))));
        memo.put(key, result);
        return result;
    }

    public static void main(String[] args) {
        Scanner sc = new Scanner(System.in);
        TreeSet<String> known = new TreeSet<>(Arrays.asList(sc.nextLine().split(" ")));
        for (String typed : sc.nextLine().split(" ")) {
            if (known.contains(typed)) continue;
            String found = "";
            int score = Integer.MAX_VALUE;
            for (String k : known)
                if (edits(typed, k) < score) {
                    score = edits(typed, k);
                    found = k;
                }
            System.out.println(typed + " -> " + found);
        }
    }
}
''',
    ".cpp": '''
#include <bits/stdc++.h>
using namespace std;

map<pair<string, string>, int> memo;

int edits(string a, string b)
{
    if (a.empty() || b.empty()) return a.size() + b.size();
    if (memo.count({a, b})) return memo[{a, b}];
    int result;
    if (a[0] == b[0])
        result = edits(a.substr(1), b.substr(1));
    else
        result = 1 + min({edits(a.substr(1), b), edits(a, b.substr(1)),
                          edits(a.substr(1), b.substr(1))});
    return memo[{a, b}] = result;
}

int main()
{
    string line, typed, k;
    set<string> known;
    getline(cin, line);
    stringstream one(line);
    while (one >> k) known.insert(k);
    while (cin >> typed) {
        if (known.count(typed)) continue;
        string found;
        int score = INT_MAX;
        for (auto &k : known)
            if (edits(typed, k) < score) {
                score = edits(typed, k);
                found = k;
            }
        cout << typed << " -> " << found << "\\n";
    }
}
''',
    ".js": '''
const rl = require("readline").createInterface({ input: process.stdin });
const memo = new Map();

function edits(a, b) {
  if (!a || !b) return a.length + b.length;
  const key = a + "/" + b;
  if (memo.has(key)) return memo.get(key);
  let result;
  if (a[0] === b[0]) {
    result = edits(a.slice(1), b.slice(1));
  } else {
    result = 1 + Math.min(edits(a.slice(1), b), edits(a, b.slice(1)),
                          edits(a.slice(1), b.slice(1)));
  }
  memo.set(key, result);
  return result;
}

let known;
rl.on("line", (line) => {
  if (!known) {
    known = [...new Set(line.split(" "))].sort();
    return;
  }
  for (const typed of line.split(" ")) {
    if (known.includes(typed)) continue;
    const scores = known.map((k) => edits(typed, k));
    console.log(typed, "->", known[scores.indexOf(Math.min(...scores))]);
  }
});
'''}

AUTHORS = {"fuel_anna": FUEL_ANNA, "fuel_boris": FUEL_BORIS, "words_chloe": WORDS_CHLOE,
           "words_dora": WORDS_DORA}


def files():
    """File names and their contents."""
    return {author + ending: text for author, texts in AUTHORS.items()
            for ending, text in texts.items()}


def is_translation(a, b):
    """Whether two files are programs of one author."""
    return a.split(".")[0] == b.split(".")[0]
