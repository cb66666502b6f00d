import type { ViewName } from './router.ts';
import type { InEveryLanguage } from './words.ts';

interface Texts {
  readonly views: Readonly<Record<ViewName, string>>;
  readonly skip: string;
  readonly navigation: string;
  readonly language: string;
  readonly readOnly: string;
  readonly onThisMachine: string;
  readonly asking: string;
  readonly again: string;
  readonly asOf: (moment: string) => string;
  readonly unanswered: string;
  readonly inTerminal: string;
  readonly copy: string;
  readonly copied: string;
  readonly close: string;
  readonly cancel: string;
  readonly stop: string;
  readonly stopping: string;
  readonly running: string;
  readonly done: string;
  readonly failed: string;
  readonly interrupted: string;
  readonly runIt: string;
  /** Commands that are suggested and run here, by their name. */
  readonly actions: Readonly<Record<string, string>>;
  readonly notOffered: string;
  readonly onlyInTerminal: string;
  readonly spent: (requests: string, dollars: string) => string;
  readonly spentHere: (requests: string) => string;
  readonly time: string;
  readonly asTable: string;
  readonly nothing: string;
}

/** Of what surrounds every view, and of the parts that several views use. */
export const strings: InEveryLanguage<Texts> = {
  en: {
    views: {
      now: 'Now',
      story: 'Find',
      letters: 'Dead letters',
      customers: 'Customers',
      healing: 'Healing',
      'set-up': 'Set-up',
      history: 'What was done',
    },
    skip: 'Skip to the content',
    navigation: 'Views',
    language: 'Language',
    readOnly: 'Read only',
    onThisMachine: 'on this machine',
    asking: 'Asking…',
    again: 'Refresh',
    asOf: (moment) => `as of ${moment}`,
    unanswered: 'The console does not answer. Does its command still run?',
    inTerminal: 'The same in a terminal',
    copy: 'Copy',
    copied: 'Copied',
    close: 'Close',
    cancel: 'Cancel',
    stop: 'Stop',
    stopping: 'Stopping after what is under way…',
    running: 'Running…',
    done: 'Done',
    failed: 'Not done',
    interrupted: 'Stopped',
    runIt: 'Do it',
    actions: {
      ...{ resume: 'End the pause', 'retry-now': 'Send what waits now' },
      ...{ reconcile: 'Compare now', 'webhooks sync': 'Repair the subscriptions' },
      ...{ resend: 'Send again', 'dead-letters replay': 'Send again' },
    },
    notOffered: 'This console only looks. Someone who may change things can run:',
    onlyInTerminal: 'In a terminal:',
    spent: (requests, dollars) =>
      `Requests to AWS since this console was started: ${requests}, for about ${dollars}.`,
    spentHere: (requests) =>
      `Requests since this console was started: ${requests}. On this machine they cost nothing.`,
    time: 'Time',
    asTable: 'As a table',
    nothing: 'Nothing in this time.',
  },
  'pt-BR': {
    views: {
      now: 'Agora',
      story: 'Procurar',
      letters: 'Não entregues',
      customers: 'Clientes',
      healing: 'Correções',
      'set-up': 'Configuração',
      history: 'O que foi feito',
    },
    skip: 'Ir para o conteúdo',
    navigation: 'Visões',
    language: 'Idioma',
    readOnly: 'Somente leitura',
    onThisMachine: 'nesta máquina',
    asking: 'Perguntando…',
    again: 'Atualizar',
    asOf: (moment) => `dados de ${moment}`,
    unanswered: 'O console não responde. O comando dele ainda está rodando?',
    inTerminal: 'O mesmo em um terminal',
    copy: 'Copiar',
    copied: 'Copiado',
    close: 'Fechar',
    cancel: 'Cancelar',
    stop: 'Parar',
    stopping: 'Parando depois do que está em andamento…',
    running: 'Executando…',
    done: 'Feito',
    failed: 'Não foi feito',
    interrupted: 'Interrompido',
    runIt: 'Executar',
    actions: {
      ...{ resume: 'Encerrar a pausa', 'retry-now': 'Enviar agora o que espera' },
      ...{ reconcile: 'Comparar agora', 'webhooks sync': 'Corrigir as assinaturas' },
      ...{ resend: 'Reenviar', 'dead-letters replay': 'Reenviar' },
    },
    notOffered: 'Este console só mostra. Quem pode fazer alterações pode executar:',
    onlyInTerminal: 'Em um terminal:',
    spent: (requests, dollars) =>
      `Solicitações à AWS desde o início deste console: ${requests}, por cerca de ${dollars}.`,
    spentHere: (requests) =>
      `Solicitações desde o início deste console: ${requests}. Nesta máquina não custam nada.`,
    time: 'Hora',
    asTable: 'Como tabela',
    nothing: 'Nada neste período.',
  },
  es: {
    views: {
      now: 'Ahora',
      story: 'Buscar',
      letters: 'No entregados',
      customers: 'Clientes',
      healing: 'Correcciones',
      'set-up': 'Configuración',
      history: 'Qué se hizo',
    },
    skip: 'Ir al contenido',
    navigation: 'Vistas',
    language: 'Idioma',
    readOnly: 'Solo lectura',
    onThisMachine: 'en esta máquina',
    asking: 'Preguntando…',
    again: 'Actualizar',
    asOf: (moment) => `datos de ${moment}`,
    unanswered: 'La consola no responde. ¿Sigue en marcha su comando?',
    inTerminal: 'Lo mismo en una terminal',
    copy: 'Copiar',
    copied: 'Copiado',
    close: 'Cerrar',
    cancel: 'Cancelar',
    stop: 'Detener',
    stopping: 'Se detiene después de lo que está en curso…',
    running: 'En marcha…',
    done: 'Hecho',
    failed: 'No se hizo',
    interrupted: 'Detenido',
    runIt: 'Hacerlo',
    actions: {
      ...{ resume: 'Terminar la pausa', 'retry-now': 'Enviar ahora lo que espera' },
      ...{ reconcile: 'Comparar ahora', 'webhooks sync': 'Corregir las suscripciones' },
      ...{ resend: 'Reenviar', 'dead-letters replay': 'Reenviar' },
    },
    notOffered: 'Esta consola solo muestra. Quien puede hacer cambios puede ejecutar:',
    onlyInTerminal: 'En una terminal:',
    spent: (requests, dollars) =>
      `Solicitudes a AWS desde que se inició esta consola: ${requests}, por unos ${dollars}.`,
    spentHere: (requests) =>
      `Solicitudes desde que se inició esta consola: ${requests}. En esta máquina no cuestan nada.`,
    time: 'Hora',
    asTable: 'Como tabla',
    nothing: 'Nada en este período.',
  },
};
