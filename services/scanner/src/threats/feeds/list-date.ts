/** A list says when it last changed in a comment at its start, such as `# Last updated: 2026-04-13 12:27:33 (UTC)`. */

const HEADER_CHARACTERS = 4_096;
const DATED = /^[#!;/*\s]+(?:last[ -]?)?(?:updated?|modified|modification|generated|date)(?: on| at)?\s*[:=](.*)$/i;
const DATE =
  /(\d{4}-\d\d?-\d\d?|\d{1,2} [a-z]{3,9} \d{4})(?:[t ]+(\d\d:\d\d(?::\d\d)?))?(?:\.\d+)?\s*(?:([+-]\d\d):?(\d\d))?/i;

/** Without a zone, the time is in UTC. Undefined if no comment has a date that can be read. */
export function dateOfList(content: string): Date | undefined {
  for (const line of content.slice(0, HEADER_CHARACTERS).split('\n')) {
    const text = DATED.exec(line.trim())?.[1];
    const [, day, time = '00:00', hours = '+00', minutes = '00'] = (text && DATE.exec(text)) || [];
    const at = new Date(`${day} ${time} ${hours}${minutes}`);
    if (day !== undefined && !Number.isNaN(at.getTime())) return at;
  }
  return undefined;
}
