import type { Words } from './words.ts';

export const es: Words = {
  revoked: {
    title: 'El propietario ha desactivado este enlace',
    text: 'Se revocó el {date}. No volverá a funcionar y esta dirección nunca llevará a otro sitio.',
    whatNow: '¿Aún necesita el contenido? Pregunte a la persona o a la página que le dio este enlace.',
  },
  flagged: {
    title: 'Nos hemos detenido aquí: este enlace podría ser peligroso',
    suspected: {
      malware:
        'La página de destino es sospechosa de difundir **programas maliciosos**, que dañan su dispositivo o roban datos de él.',
      phishing:
        'La página de destino es sospechosa de **phishing**: podría hacerse pasar por alguien de confianza para obtener contraseñas o dinero.',
      harmful_application:
        'La página de destino es sospechosa de ofrecer una **aplicación dañina**, que le espía o daña su dispositivo.',
      scam: 'La página de destino es sospechosa de **estafa**: una promesa falsa para obtener su dinero o sus datos.',
      unwanted_software:
        'La página de destino es sospechosa de difundir **programas no deseados**, que cambian su dispositivo sin permiso.',
      spam: 'La página de destino es sospechosa de **spam**: publicidad enviada en masa a quienes no la han pedido.',
      suspicious: 'La página de destino parece **sospechosa**: muestra señales frecuentes en las páginas peligrosas.',
      policy_violation: 'La página de destino podría **incumplir las normas** de este servicio.',
    },
    check: 'La comprobación es automática y puede equivocarse. No se envía a nadie allí mientras dure la sospecha.',
    whatNow: {
      password: '¿Ya escribió una contraseña en esa página? Cámbiela ahora en el sitio auténtico.',
      download: '¿Ya instaló algo desde esa página? Elimínelo y revise su dispositivo.',
    },
  },
  threat: {
    malware: 'Programa malicioso',
    phishing: 'Phishing',
    harmful_application: 'Aplicación dañina',
    scam: 'Estafa',
    unwanted_software: 'Programa no deseado',
    spam: 'Spam',
    suspicious: 'Página sospechosa',
    policy_violation: 'Incumplimiento de las normas',
  },
  notFound: {
    title: 'No hay ningún enlace en esta dirección',
    text: 'Revise si hay errores. Las mayúsculas y las minúsculas son distintas, igual que 0 y O, 1 y l.',
    note: 'Si aquí hubiera funcionado un enlace, esta página lo diría: las direcciones nunca se borran ni se vuelven a usar.',
  },
  preview: {
    title: '{link} lleva a',
    verdict: '**No se encontró ninguna amenaza, comprobado {age}.** Eso no garantiza que la página sea segura.',
    unknown:
      '**Lleva a otro acortador de enlaces y aún no sabemos dónde termina.** Continúe solo si confía en quien le dio este enlace.',
    go: 'Continuar a esta página',
    note: 'Ver esta página no cuenta como clic.',
  },
  unavailable: {
    title: 'Este enlace no se puede consultar ahora mismo',
    text: 'El fallo es nuestro y el enlace seguramente funciona. Vuelva a intentarlo en unos segundos.',
  },
  home: {
    title: 'Aquí viven enlaces cortos',
    text: 'Cada dirección lleva a otra página. Añada un + al final para ver adónde lleva antes de ir.',
  },
  label: {
    link: 'Enlace',
    requested: 'Dirección pedida',
    suspected: 'Sospecha',
    checked: 'Última comprobación',
    language: 'Idioma',
    report: 'Denunciar este enlace',
    review: 'Pedir una revisión',
  },
};
