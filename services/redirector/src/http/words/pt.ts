import type { Words } from './words.ts';

export const pt: Words = {
  revoked: {
    title: 'O proprietário desativou este link',
    text: 'Foi revogado em {date}. Não voltará a funcionar, e este endereço nunca levará a outro lugar.',
    whatNow: 'Ainda precisa do conteúdo? Pergunte à pessoa ou à página que lhe deu este link.',
  },
  flagged: {
    title: 'Parámos aqui: este link pode ser perigoso',
    suspected: {
      malware:
        'A página de destino é suspeita de espalhar **programas maliciosos**, que danificam o seu dispositivo ou lhe roubam dados.',
      phishing:
        'A página de destino é suspeita de **phishing**: pode fazer-se passar por alguém de confiança para obter palavras-passe ou dinheiro.',
      harmful_application:
        'A página de destino é suspeita de oferecer uma **aplicação nociva**, que o espia ou danifica o seu dispositivo.',
      scam: 'A página de destino é suspeita de **burla**: uma promessa falsa para obter o seu dinheiro ou os seus dados.',
      unwanted_software:
        'A página de destino é suspeita de espalhar **programas indesejados**, que alteram o seu dispositivo sem autorização.',
      spam: 'A página de destino é suspeita de **spam**: publicidade enviada em massa a quem não a pediu.',
      suspicious: 'A página de destino parece **suspeita**: mostra sinais frequentes em páginas perigosas.',
      policy_violation: 'A página de destino pode **violar as regras** deste serviço.',
    },
    check: 'A verificação é automática e pode errar. Ninguém é enviado para lá enquanto houver suspeita.',
    whatNow: {
      password: 'Já escreveu uma palavra-passe nessa página? Mude-a agora no site verdadeiro.',
      download: 'Já instalou alguma coisa dessa página? Remova-a e verifique o seu dispositivo.',
    },
  },
  threat: {
    malware: 'Programa malicioso',
    phishing: 'Phishing',
    harmful_application: 'Aplicação nociva',
    scam: 'Burla',
    unwanted_software: 'Programa indesejado',
    spam: 'Spam',
    suspicious: 'Página suspeita',
    policy_violation: 'Violação das regras',
  },
  notFound: {
    title: 'Não há nenhum link neste endereço',
    text: 'Verifique se há erros. Maiúsculas e minúsculas são diferentes, tal como 0 e O, 1 e l.',
    note: 'Se um link tivesse funcionado aqui, esta página diria: os endereços nunca são apagados nem reutilizados.',
  },
  preview: {
    title: '{link} leva a',
    verdict: '**Nenhuma ameaça encontrada, verificado {age}.** Isso não garante que a página seja segura.',
    unknown:
      '**Leva a outro encurtador de links e ainda não sabemos onde termina.** Continue apenas se confiar em quem lhe deu este link.',
    go: 'Continuar para esta página',
    note: 'Ver esta página não conta como clique.',
  },
  unavailable: {
    title: 'De momento não é possível consultar este link',
    text: 'A falha é nossa e o link provavelmente funciona. Tente de novo dentro de alguns segundos.',
  },
  home: {
    title: 'Aqui vivem links curtos',
    text: 'Cada endereço leva a outra página. Acrescente um + no fim para ver aonde leva antes de ir.',
  },
  label: {
    link: 'Link',
    requested: 'Endereço pedido',
    suspected: 'Suspeita',
    checked: 'Última verificação',
    language: 'Idioma',
    report: 'Denunciar este link',
    review: 'Pedir uma revisão',
  },
};
