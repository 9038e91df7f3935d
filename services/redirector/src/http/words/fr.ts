import type { Words } from './words.ts';

export const fr: Words = {
  revoked: {
    title: 'Ce lien a été désactivé par son propriétaire',
    text: 'Il a été révoqué le {date}. Il ne fonctionnera plus, et cette adresse ne mènera jamais ailleurs.',
    whatNow: 'Vous avez encore besoin du contenu ? Demandez à la personne ou à la page qui vous a donné ce lien.',
  },
  flagged: {
    title: 'Nous nous sommes arrêtés ici : ce lien est peut-être dangereux',
    suspected: {
      malware:
        'La page visée est soupçonnée de diffuser des **logiciels malveillants**, qui abîment votre appareil ou y volent des données.',
      phishing:
        'La page visée est soupçonnée d’**hameçonnage** : elle imiterait un service de confiance pour obtenir des mots de passe ou de l’argent.',
      harmful_application:
        'La page visée est soupçonnée de proposer une **application nuisible**, qui vous espionne ou abîme votre appareil.',
      scam: 'La page visée est soupçonnée d’**escroquerie** : une fausse promesse pour obtenir votre argent ou vos données.',
      unwanted_software:
        'La page visée est soupçonnée de diffuser des **logiciels indésirables**, qui modifient votre appareil sans votre accord.',
      spam: 'La page visée est soupçonnée de **spam** : de la publicité envoyée en masse à des gens qui ne l’ont pas demandée.',
      suspicious: 'La page visée paraît **suspecte** : elle présente des signes fréquents sur les pages dangereuses.',
      policy_violation: 'La page visée **enfreint peut-être les règles** de ce service.',
    },
    check: 'Le contrôle est automatique et peut se tromper. Personne n’y est envoyé tant que le doute demeure.',
    whatNow: {
      password: 'Vous y avez déjà saisi un mot de passe ? Changez-le maintenant, sur le vrai site.',
      download: 'Vous en avez déjà installé quelque chose ? Supprimez-le et vérifiez votre appareil.',
    },
  },
  threat: {
    malware: 'Logiciel malveillant',
    phishing: 'Hameçonnage',
    harmful_application: 'Application nuisible',
    scam: 'Escroquerie',
    unwanted_software: 'Logiciel indésirable',
    spam: 'Spam',
    suspicious: 'Page suspecte',
    policy_violation: 'Infraction aux règles',
  },
  notFound: {
    title: 'Aucun lien à cette adresse',
    text: 'Vérifiez la saisie. Majuscules et minuscules comptent, de même que 0 et O, 1 et l.',
    note: 'Si un lien avait existé ici, cette page le dirait : une adresse n’est jamais effacée ni réattribuée.',
  },
  preview: {
    title: '{link} mène à',
    verdict: '**Aucune menace trouvée, contrôle effectué {age}.** Cela ne garantit pas que la page soit sûre.',
    unknown:
      '**Il mène à un autre raccourcisseur de liens, et nous ne savons pas encore où il aboutit.** Ne continuez que si vous faites confiance à la personne qui vous a donné ce lien.',
    go: 'Continuer vers cette page',
    note: 'Consulter cette page ne compte pas comme un clic.',
  },
  unavailable: {
    title: 'Ce lien ne peut pas être consulté pour le moment',
    text: 'La panne vient de nous, et le lien est sans doute bon. Réessayez dans quelques secondes.',
  },
  home: {
    title: 'Ici vivent des liens courts',
    text: 'Chaque adresse mène à une autre page. Ajoutez un + à la fin pour voir où elle mène avant d’y aller.',
  },
  label: {
    link: 'Lien',
    requested: 'Adresse demandée',
    suspected: 'Soupçon',
    checked: 'Dernier contrôle',
    language: 'Langue',
    report: 'Signaler ce lien',
    review: 'Demander un réexamen',
  },
};
