/** What the pages of reports and reviews say, in the languages of the redirector's pages. */
import type { Case, CaseState, ReportCategory } from '@waypost/domain';
import type { Language } from '@waypost/html';

type Subject = { readonly title: string; readonly text: string; readonly filed: string };

export interface Words extends Readonly<Record<Case['kind'], Subject>> {
  readonly label: Readonly<
    Record<'link' | 'category' | 'message' | 'number' | 'filed' | 'state' | 'decided' | 'reason', string>
  >;
  readonly category: Readonly<Record<ReportCategory, string>>;
  readonly send: string;
  readonly state: Readonly<Record<CaseState, string>>;
  readonly keep: string;
  readonly unknown: { readonly title: string; readonly text: string };
  readonly problem: Readonly<
    Record<'noLink' | 'noCategory' | 'noMessage' | 'longMessage' | 'notFlagged' | 'tooMany' | 'enough', string>
  >;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    report: {
      title: 'Report a link',
      text: 'Tell us about a short link that leads somewhere harmful. A person looks at it.',
      filed: 'Your report',
    },
    review: {
      title: 'Request a review',
      text: 'Was this link flagged by mistake? Tell us why. A person looks at it.',
      filed: 'Your request for a review',
    },
    label: {
      link: 'Short link',
      category: 'What is wrong with it?',
      message: 'What should we know? No personal data, please.',
      number: 'Case number',
      filed: 'Received',
      state: 'State',
      decided: 'Decided',
      reason: 'Reason',
    },
    category: {
      phishing: 'It asks for passwords or money in a false name',
      malware: 'It spreads harmful programs',
      scam: 'It is a scam',
      spam: 'It is spam',
      policy_violation: 'Something else',
    },
    send: 'Send',
    state: {
      open: 'Open: nobody has decided yet.',
      upheld: 'Upheld: we agree.',
      dismissed: 'Dismissed: we see it differently.',
    },
    keep: 'Keep the address of this page: it shows what becomes of your case.',
    unknown: { title: 'There is no such case', text: 'Check the case number for typing mistakes.' },
    problem: {
      noLink: 'There is no such link here.',
      noCategory: 'Choose what is wrong with it.',
      noMessage: 'Tell us why the flag is wrong.',
      longMessage: 'The text is too long: 1,000 characters at most.',
      notFlagged: 'This link is not flagged: there is nothing to review.',
      tooMany: 'Too many cases came from your network. Try again in an hour.',
      enough: 'There are many open cases about this link already. We will look at it.',
    },
  },
  de: {
    report: {
      title: 'Einen Link melden',
      text: 'Führt ein kurzer Link zu etwas Schädlichem? Sagen Sie es uns. Ein Mensch sieht es sich an.',
      filed: 'Ihre Meldung',
    },
    review: {
      title: 'Um Prüfung bitten',
      text: 'Ist dieser Link zu Unrecht gesperrt? Sagen Sie uns, warum. Ein Mensch sieht es sich an.',
      filed: 'Ihre Bitte um Prüfung',
    },
    label: {
      link: 'Kurzer Link',
      category: 'Was ist damit?',
      message: 'Was sollten wir wissen? Bitte keine persönlichen Daten.',
      number: 'Fallnummer',
      filed: 'Eingegangen',
      state: 'Stand',
      decided: 'Entschieden',
      reason: 'Begründung',
    },
    category: {
      phishing: 'Fragt unter falschem Namen nach Passwörtern oder Geld',
      malware: 'Verbreitet schädliche Programme',
      scam: 'Ist Betrug',
      spam: 'Ist Spam',
      policy_violation: 'Etwas anderes',
    },
    send: 'Absenden',
    state: {
      open: 'Offen: Noch ist nichts entschieden.',
      upheld: 'Stattgegeben: Wir stimmen zu.',
      dismissed: 'Abgelehnt: Wir sehen es anders.',
    },
    keep: 'Merken Sie sich die Adresse dieser Seite: Sie zeigt, was aus Ihrem Fall wird.',
    unknown: { title: 'Diesen Fall gibt es nicht', text: 'Bitte prüfen Sie die Fallnummer auf Tippfehler.' },
    problem: {
      noLink: 'Diesen Link gibt es hier nicht.',
      noCategory: 'Bitte wählen Sie, was damit ist.',
      noMessage: 'Bitte sagen Sie uns, warum die Sperre falsch ist.',
      longMessage: 'Der Text ist zu lang: höchstens 1.000 Zeichen.',
      notFlagged: 'Dieser Link ist nicht gesperrt: Es gibt nichts zu prüfen.',
      tooMany: 'Aus Ihrem Netz kamen zu viele Fälle. Bitte versuchen Sie es in einer Stunde noch einmal.',
      enough: 'Zu diesem Link gibt es schon viele offene Fälle. Wir sehen ihn uns an.',
    },
  },
  fr: {
    report: {
      title: 'Signaler un lien',
      text: 'Un lien court mène à quelque chose de nuisible ? Dites-le-nous. Une personne l’examinera.',
      filed: 'Votre signalement',
    },
    review: {
      title: 'Demander un réexamen',
      text: 'Ce lien a-t-il été bloqué par erreur ? Dites-nous pourquoi. Une personne l’examinera.',
      filed: 'Votre demande de réexamen',
    },
    label: {
      link: 'Lien court',
      category: 'Quel est le problème ?',
      message: 'Que devons-nous savoir ? Sans données personnelles, s’il vous plaît.',
      number: 'Numéro de dossier',
      filed: 'Reçu le',
      state: 'État',
      decided: 'Décidé le',
      reason: 'Motif',
    },
    category: {
      phishing: 'Il demande des mots de passe ou de l’argent sous un faux nom',
      malware: 'Il diffuse des programmes nuisibles',
      scam: 'C’est une arnaque',
      spam: 'C’est du spam',
      policy_violation: 'Autre chose',
    },
    send: 'Envoyer',
    state: {
      open: 'Ouvert : rien n’est encore décidé.',
      upheld: 'Accepté : nous sommes d’accord.',
      dismissed: 'Rejeté : nous en jugeons autrement.',
    },
    keep: 'Gardez l’adresse de cette page : elle montre la suite donnée à votre dossier.',
    unknown: { title: 'Ce dossier n’existe pas', text: 'Vérifiez le numéro de dossier.' },
    problem: {
      noLink: 'Ce lien n’existe pas ici.',
      noCategory: 'Choisissez quel est le problème.',
      noMessage: 'Dites-nous pourquoi le blocage est une erreur.',
      longMessage: 'Le texte est trop long : 1 000 caractères au plus.',
      notFlagged: 'Ce lien n’est pas bloqué : il n’y a rien à réexaminer.',
      tooMany: 'Trop de dossiers viennent de votre réseau. Réessayez dans une heure.',
      enough: 'Il y a déjà beaucoup de dossiers ouverts sur ce lien. Nous allons l’examiner.',
    },
  },
  es: {
    report: {
      title: 'Denunciar un enlace',
      text: '¿Un enlace corto lleva a algo dañino? Cuéntenoslo. Lo revisará una persona.',
      filed: 'Su denuncia',
    },
    review: {
      title: 'Pedir una revisión',
      text: '¿Se bloqueó este enlace por error? Díganos por qué. Lo revisará una persona.',
      filed: 'Su petición de revisión',
    },
    label: {
      link: 'Enlace corto',
      category: '¿Qué le pasa?',
      message: '¿Qué debemos saber? Sin datos personales, por favor.',
      number: 'Número de caso',
      filed: 'Recibido',
      state: 'Estado',
      decided: 'Decidido',
      reason: 'Motivo',
    },
    category: {
      phishing: 'Pide contraseñas o dinero con un nombre falso',
      malware: 'Difunde programas dañinos',
      scam: 'Es una estafa',
      spam: 'Es spam',
      policy_violation: 'Otra cosa',
    },
    send: 'Enviar',
    state: {
      open: 'Abierto: aún no se ha decidido.',
      upheld: 'Aceptado: estamos de acuerdo.',
      dismissed: 'Rechazado: lo vemos de otro modo.',
    },
    keep: 'Guarde la dirección de esta página: muestra qué ocurre con su caso.',
    unknown: { title: 'Ese caso no existe', text: 'Compruebe el número de caso.' },
    problem: {
      noLink: 'Ese enlace no existe aquí.',
      noCategory: 'Elija qué le pasa.',
      noMessage: 'Díganos por qué el bloqueo es un error.',
      longMessage: 'El texto es demasiado largo: 1000 caracteres como máximo.',
      notFlagged: 'Este enlace no está bloqueado: no hay nada que revisar.',
      tooMany: 'Han llegado demasiados casos desde su red. Inténtelo dentro de una hora.',
      enough: 'Ya hay muchos casos abiertos sobre este enlace. Lo revisaremos.',
    },
  },
  pt: {
    report: {
      title: 'Denunciar um link',
      text: 'Um link curto leva a algo nocivo? Conte-nos. Uma pessoa vai analisar.',
      filed: 'Sua denúncia',
    },
    review: {
      title: 'Pedir uma revisão',
      text: 'Este link foi bloqueado por engano? Diga-nos por quê. Uma pessoa vai analisar.',
      filed: 'Seu pedido de revisão',
    },
    label: {
      link: 'Link curto',
      category: 'O que há de errado?',
      message: 'O que devemos saber? Sem dados pessoais, por favor.',
      number: 'Número do caso',
      filed: 'Recebido',
      state: 'Estado',
      decided: 'Decidido',
      reason: 'Motivo',
    },
    category: {
      phishing: 'Pede senhas ou dinheiro com um nome falso',
      malware: 'Espalha programas nocivos',
      scam: 'É um golpe',
      spam: 'É spam',
      policy_violation: 'Outra coisa',
    },
    send: 'Enviar',
    state: {
      open: 'Aberto: ainda não foi decidido.',
      upheld: 'Aceito: concordamos.',
      dismissed: 'Recusado: vemos de outra forma.',
    },
    keep: 'Guarde o endereço desta página: ele mostra o que acontece com o seu caso.',
    unknown: { title: 'Esse caso não existe', text: 'Verifique o número do caso.' },
    problem: {
      noLink: 'Esse link não existe aqui.',
      noCategory: 'Escolha o que há de errado.',
      noMessage: 'Diga-nos por que o bloqueio é um engano.',
      longMessage: 'O texto é longo demais: no máximo 1.000 caracteres.',
      notFlagged: 'Este link não está bloqueado: não há o que rever.',
      tooMany: 'Vieram casos demais da sua rede. Tente de novo daqui a uma hora.',
      enough: 'Já há muitos casos abertos sobre este link. Vamos analisá-lo.',
    },
  },
  ja: {
    report: {
      title: 'リンクを報告する',
      text: '短縮リンクの先に有害なものがありますか。お知らせください。担当者が確認します。',
      filed: 'ご報告',
    },
    review: {
      title: '再審査を依頼する',
      text: 'このリンクは誤って止められていますか。理由をお知らせください。担当者が確認します。',
      filed: '再審査のご依頼',
    },
    label: {
      link: '短縮リンク',
      category: '何が問題ですか',
      message: 'お知らせいただきたいこと（個人情報は書かないでください）',
      number: '受付番号',
      filed: '受付日',
      state: '状態',
      decided: '決定日',
      reason: '理由',
    },
    category: {
      phishing: '偽の名前でパスワードやお金を求める',
      malware: '有害なプログラムを広める',
      scam: '詐欺である',
      spam: '迷惑広告である',
      policy_violation: 'その他',
    },
    send: '送信',
    state: {
      open: '受付済み：まだ決まっていません。',
      upheld: '認定：ご指摘のとおりです。',
      dismissed: '却下：問題はないと判断しました。',
    },
    keep: 'このページのアドレスを保存してください。結果はここに表示されます。',
    unknown: { title: 'その受付番号はありません', text: '入力の誤りがないか確認してください。' },
    problem: {
      noLink: 'そのリンクはここにはありません。',
      noCategory: '何が問題かを選んでください。',
      noMessage: '誤りだと思う理由を書いてください。',
      longMessage: '文章が長すぎます（1,000文字まで）。',
      notFlagged: 'このリンクは止められていません。再審査は不要です。',
      tooMany: 'お使いのネットワークからの報告が多すぎます。1時間後にもう一度お試しください。',
      enough: 'このリンクにはすでに多くの報告があります。確認いたします。',
    },
  },
  ar: {
    report: {
      title: 'الإبلاغ عن رابط',
      text: 'هل يقود رابط قصير إلى شيء ضار؟ أخبرنا. سينظر فيه شخص.',
      filed: 'بلاغك',
    },
    review: {
      title: 'طلب مراجعة',
      text: 'هل أُوقف هذا الرابط خطأً؟ أخبرنا بالسبب. سينظر فيه شخص.',
      filed: 'طلب المراجعة',
    },
    label: {
      link: 'الرابط القصير',
      category: 'ما المشكلة فيه؟',
      message: 'ماذا ينبغي أن نعرف؟ بلا بيانات شخصية من فضلك.',
      number: 'رقم الحالة',
      filed: 'تاريخ الاستلام',
      state: 'الوضع',
      decided: 'تاريخ القرار',
      reason: 'السبب',
    },
    category: {
      phishing: 'يطلب كلمات مرور أو مالًا باسم زائف',
      malware: 'ينشر برامج ضارة',
      scam: 'احتيال',
      spam: 'رسائل مزعجة',
      policy_violation: 'شيء آخر',
    },
    send: 'إرسال',
    state: {
      open: 'مفتوحة: لم يُتخذ قرار بعد.',
      upheld: 'مقبولة: نتفق معك.',
      dismissed: 'مرفوضة: نرى الأمر على نحو مختلف.',
    },
    keep: 'احتفظ بعنوان هذه الصفحة: فهي تعرض ما تصير إليه حالتك.',
    unknown: { title: 'لا توجد حالة بهذا الرقم', text: 'تحقق من رقم الحالة.' },
    problem: {
      noLink: 'لا يوجد هذا الرابط هنا.',
      noCategory: 'اختر ما المشكلة فيه.',
      noMessage: 'أخبرنا لماذا كان الإيقاف خطأً.',
      longMessage: 'النص طويل جدًا: ‎1000 حرف على الأكثر.',
      notFlagged: 'هذا الرابط غير موقوف: لا شيء للمراجعة.',
      tooMany: 'جاءت حالات كثيرة من شبكتك. حاول مرة أخرى بعد ساعة.',
      enough: 'توجد حالات مفتوحة كثيرة عن هذا الرابط. سننظر فيه.',
    },
  },
};
