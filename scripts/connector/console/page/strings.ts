import type { ViewName } from './router.ts';
import { inEveryLanguage, type Said } from './words.ts';

/** Of what surrounds every view, and of the parts that several views use. */
export const strings = inEveryLanguage({
  views: {
    now: ['Now', 'Agora', 'Ahora'],
    story: ['Find', 'Procurar', 'Buscar'],
    letters: ['Dead letters', 'Não entregues', 'No entregados'],
    customers: ['Customers', 'Clientes', 'Clientes'],
    healing: ['Healing', 'Correções', 'Correcciones'],
    'set-up': ['Set-up', 'Configuração', 'Configuración'],
    history: ['What was done', 'O que foi feito', 'Qué se hizo'],
  } satisfies Readonly<Record<ViewName, Said>>,
  skip: ['Skip to the content', 'Ir para o conteúdo', 'Ir al contenido'],
  navigation: ['Views', 'Visões', 'Vistas'],
  language: ['Language', 'Idioma', 'Idioma'],
  readOnly: ['Read only', 'Somente leitura', 'Solo lectura'],
  onThisMachine: ['on this machine', 'nesta máquina', 'en esta máquina'],
  asking: ['Asking…', 'Perguntando…', 'Preguntando…'],
  again: ['Refresh', 'Atualizar', 'Actualizar'],
  asOf: (moment: string) => [`as of ${moment}`, `dados de ${moment}`, `datos de ${moment}`],
  unanswered: [
    'The console does not answer. Does its command still run?',
    'O console não responde. O comando dele ainda está rodando?',
    'La consola no responde. ¿Sigue en marcha su comando?',
  ],
  inTerminal: ['The same in a terminal', 'O mesmo em um terminal', 'Lo mismo en una terminal'],
  copy: ['Copy', 'Copiar', 'Copiar'],
  copied: ['Copied', 'Copiado', 'Copiado'],
  close: ['Close', 'Fechar', 'Cerrar'],
  cancel: ['Cancel', 'Cancelar', 'Cancelar'],
  stop: ['Stop', 'Parar', 'Detener'],
  stopping: [
    'Stopping after what is under way…',
    'Parando depois do que está em andamento…',
    'Se detiene después de lo que está en curso…',
  ],
  running: ['Running…', 'Executando…', 'En marcha…'],
  done: ['Done', 'Feito', 'Hecho'],
  failed: ['Not done', 'Não foi feito', 'No se hizo'],
  interrupted: ['Stopped', 'Interrompido', 'Detenido'],
  runIt: ['Do it', 'Executar', 'Hacerlo'],
  /** Commands that are suggested and run here, by their name. */
  actions: {
    resume: ['End the pause', 'Encerrar a pausa', 'Terminar la pausa'],
    'retry-now': ['Send what waits now', 'Enviar agora o que espera', 'Enviar ahora lo que espera'],
    reconcile: ['Compare now', 'Comparar agora', 'Comparar ahora'],
    'webhooks sync': [
      'Repair the subscriptions',
      'Corrigir as assinaturas',
      'Corregir las suscripciones',
    ],
    resend: ['Send again', 'Reenviar', 'Reenviar'],
    'dead-letters replay': ['Send again', 'Reenviar', 'Reenviar'],
  } as Readonly<Record<string, Said>>,
  notOffered: [
    'This console only looks. Someone who may change things can run:',
    'Este console só mostra. Quem pode fazer alterações pode executar:',
    'Esta consola solo muestra. Quien puede hacer cambios puede ejecutar:',
  ],
  onlyInTerminal: ['In a terminal:', 'Em um terminal:', 'En una terminal:'],
  spent: (requests: string, dollars: string) => [
    `Requests to AWS since this console was started: ${requests}, for about ${dollars}.`,
    `Solicitações à AWS desde o início deste console: ${requests}, por cerca de ${dollars}.`,
    `Solicitudes a AWS desde que se inició esta consola: ${requests}, por unos ${dollars}.`,
  ],
  spentHere: (requests: string) => [
    `Requests since this console was started: ${requests}. On this machine they cost nothing.`,
    `Solicitações desde o início deste console: ${requests}. Nesta máquina não custam nada.`,
    `Solicitudes desde que se inició esta consola: ${requests}. En esta máquina no cuestan nada.`,
  ],
  time: ['Time', 'Hora', 'Hora'],
  asTable: ['As a table', 'Como tabela', 'Como tabla'],
  nothing: ['Nothing in this time.', 'Nada neste período.', 'Nada en este período.'],
});
