/** What the API says of a field, in German, to stand after the field's label and a colon. `#` is a number. */
const PROBLEMS: Readonly<Record<string, string>> = {
  'is required': 'fehlt',
  'must not be empty': 'darf nicht leer sein',
  'must be a string': 'muss Text sein',
  'must be a number': 'muss eine Zahl sein',
  'must be an object': 'muss ein Objekt sein',
  'must be an array': 'muss eine Liste sein',
  'is not allowed': 'ist nicht erlaubt',
  'is not a known field': 'ist kein bekanntes Feld',
  'must hold at least #': 'mindestens #',
  'must hold at most #': 'höchstens #',
  'must have at most # characters': 'höchstens # Zeichen',
  'must be at most # characters': 'höchstens # Zeichen',
  'must be # to # characters': '# bis # Zeichen',
  'must be # to # characters, without control characters': '# bis # Zeichen, ohne Steuerzeichen',
  'must not hold control characters': 'ohne Steuerzeichen, in einer Zeile',
  'must be a whole number from # to #': 'eine ganze Zahl von # bis #',
  'is not an e-mail address': 'keine E-Mail-Adresse',
  'is not that of this account': 'nicht die dieses Kontos',
  'is your own account': 'das eigene Konto',
  'is wrong': 'falsch',
  'is not set: sign in again, then ask within # minutes':
    'keines festgelegt: neu anmelden, dann innerhalb von # Minuten',
  'must be in the future': 'muss in der Zukunft liegen',
  'must be a time such as #-#-#T#:#:#Z': 'keine gültige Zeit',
  'must name at least one of read, write, admin': 'mindestens eines von read, write, admin',
  'names a scope twice': 'eines doppelt',
  'admin must be the only scope of a key': 'admin nur allein',
  'must hold # to # different events': '# bis # verschiedene',
  'is reserved': 'reserviert',
  'may hold letters, digits, "_" and "-" only, and must begin with a letter or a digit':
    'nur Buchstaben, Ziffern, „_“ und „-“, ein Buchstabe oder eine Ziffer zuerst',
  'is the same as links[#].custom_slug': 'zweimal in der Liste',
  'must begin with https://': 'muss mit https:// beginnen',
  'must be an absolute URL that begins with http:// or https://': 'muss mit http:// oder https:// beginnen',
  'is not a valid URL: its host or port cannot be read': 'Host oder Port sind nicht lesbar',
  'must not contain control characters, text direction marks or broken Unicode':
    'ohne Steuerzeichen, Zeichen für die Schreibrichtung und defektes Unicode',
  'must not contain %#': 'ohne %#',
  'must have a host': 'der Host fehlt',
  'must not contain a user name or password': 'ohne Namen und Passwort',
  'must not have white space or a backslash in its host': 'kein Leerzeichen und kein umgekehrter Schrägstrich im Host',
  'must not lead to a private or reserved IP address': 'keine private oder reservierte IP-Adresse',
  'must have a valid host name': 'kein gültiger Hostname',
  'must have a public host name': 'kein öffentlicher Hostname',
  'must have a public host name, not a public suffix': 'kein öffentlicher Hostname, nur eine Endung',
  'must not lead back to this service': 'führt zu diesem Waypost zurück',
  'must not use port #': 'Port # ist nicht erlaubt',
  'must be at most # bytes long': 'höchstens # Byte',
};

/** Undefined: a newer API says something else. */
export function germanProblem(text: string): string | undefined {
  const numbers = text.match(/\d+/g) ?? [];
  return PROBLEMS[text.replace(/\d+/g, '#')]?.replaceAll('#', () => numbers.shift() ?? '');
}
