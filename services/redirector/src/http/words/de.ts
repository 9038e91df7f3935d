import type { Words } from './words.ts';

export const de: Words = {
  revoked: {
    title: 'Dieser Link wurde vom Besitzer abgeschaltet',
    text: 'Er wurde am {date} widerrufen. Er wird nicht wieder funktionieren, und diese Adresse führt nie an einen anderen Ort.',
    whatNow: 'Brauchen Sie den Inhalt noch? Fragen Sie die Person oder die Seite, von der Sie den Link haben.',
  },
  flagged: {
    title: 'Wir haben hier angehalten: Dieser Link ist möglicherweise gefährlich',
    suspected: {
      malware:
        'Bei der Seite dahinter besteht Verdacht auf **Schadsoftware**: Programme, die Ihrem Gerät schaden oder Daten daraus stehlen.',
      phishing:
        'Bei der Seite dahinter besteht Verdacht auf **Phishing**: Sie gibt sich vielleicht als jemand aus, dem Sie vertrauen, um an Passwörter oder Geld zu kommen.',
      harmful_application:
        'Bei der Seite dahinter besteht Verdacht auf eine **schädliche App**, die Sie ausspäht oder Ihr Gerät beschädigt.',
      scam: 'Bei der Seite dahinter besteht Verdacht auf **Betrug**: ein falsches Versprechen, um an Ihr Geld oder Ihre Daten zu kommen.',
      unwanted_software:
        'Bei der Seite dahinter besteht Verdacht auf **unerwünschte Software**: Programme, die Ihr Gerät ungefragt verändern.',
      spam: 'Bei der Seite dahinter besteht Verdacht auf **Spam**: Werbung, die massenhaft und unverlangt verschickt wird.',
      suspicious: 'Die Seite dahinter wirkt **verdächtig**: Sie hat Merkmale, die gefährliche Seiten oft haben.',
      policy_violation: 'Die Seite dahinter **verstößt möglicherweise gegen die Regeln** dieses Dienstes.',
    },
    check:
      'Die Prüfung ist automatisch und kann sich irren. Solange der Verdacht besteht, wird niemand dorthin geleitet.',
    whatNow: {
      password: 'Haben Sie dort schon ein Passwort eingegeben? Ändern Sie es jetzt, direkt auf der echten Seite.',
      download: 'Haben Sie von dort schon etwas installiert? Entfernen Sie es und prüfen Sie Ihr Gerät.',
    },
  },
  threat: {
    malware: 'Schadsoftware',
    phishing: 'Phishing',
    harmful_application: 'Schädliche App',
    scam: 'Betrug',
    unwanted_software: 'Unerwünschte Software',
    spam: 'Spam',
    suspicious: 'Verdächtige Seite',
    policy_violation: 'Regelverstoß',
  },
  notFound: {
    title: 'Unter dieser Adresse gibt es keinen Link',
    text: 'Bitte auf Tippfehler prüfen. Groß- und Kleinbuchstaben sind hier verschieden, ebenso 0 und O, 1 und l.',
    note: 'Hätte hier je ein Link funktioniert, stünde es hier: Adressen werden nie gelöscht oder neu vergeben.',
  },
  preview: {
    title: '{link} führt zu',
    verdict: '**Keine Bedrohung gefunden, geprüft {age}.** Das ist kein Versprechen, dass die Seite sicher ist.',
    unknown:
      '**Das führt zu einem anderen Kurzlink-Dienst, und wir wissen noch nicht, wo es endet.** Weiter nur, wenn Sie der Quelle dieses Links vertrauen.',
    go: 'Weiter zu dieser Seite',
    note: 'Diese Ansicht zählt nicht als Klick.',
  },
  unavailable: {
    title: 'Dieser Link kann gerade nicht nachgeschlagen werden',
    text: 'Der Fehler liegt bei uns, der Link ist wahrscheinlich in Ordnung. Bitte versuchen Sie es in einigen Sekunden noch einmal.',
  },
  home: {
    title: 'Hier wohnen kurze Links',
    text: 'Jede Adresse hier führt zu einer anderen Seite. Hängen Sie ein + an, um vorher zu sehen, wohin.',
  },
  label: {
    link: 'Link',
    requested: 'Aufgerufen',
    suspected: 'Verdacht',
    checked: 'Zuletzt geprüft',
    language: 'Sprache',
    report: 'Diesen Link melden',
    review: 'Um Prüfung bitten',
  },
};
