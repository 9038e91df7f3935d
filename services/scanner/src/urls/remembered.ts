/**
 * A pure function that remembers its last answers: the destinations of a request, and of the next one, mostly share
 * hosts and directories. When it is full it forgets all at once, which costs less than knowing what was used last.
 */
export function remembered<T>(of: (text: string) => T, size: number): (text: string) => T {
  const answers = new Map<string, T>();
  return (text) => {
    const known = answers.get(text);
    if (known !== undefined) return known;
    const answer = of(text);
    if (answers.size >= size) answers.clear();
    answers.set(text, answer);
    return answer;
  };
}
