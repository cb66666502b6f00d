import { inEveryLanguage, numberText, type Said } from '../../words.ts';
import type { Group, ListedLetter } from './documents.ts';

const counted = (many: number, one: string, several: string) =>
  `${numberText(many)} ${many === 1 ? one : several}`;

export const strings = inEveryLanguage({
  count: (matching: number) => [
    matching === 0 ? 'No dead letters' : `${counted(matching, 'dead letter', 'dead letters')}:`,
    matching === 0
      ? 'Nenhuma mensagem sem entrega'
      : `${counted(matching, 'mensagem não entregue', 'mensagens não entregues')}:`,
    matching === 0
      ? 'Ningún mensaje sin entregar'
      : `${counted(matching, 'mensaje no entregado', 'mensajes no entregados')}:`,
  ],
  deletedAt: (when: string) => [
    `The oldest is deleted ${when}, unless it is sent again before.`,
    `A mais antiga é apagada ${when}, se não for reenviada antes.`,
    `El más antiguo se borra ${when}, si no se reenvía antes.`,
  ],
  withoutSummary: (many: number) => [
    `About ${numberText(many)} more have no summary: a worker died on them.`,
    `Há mais umas ${numberText(many)} sem resumo: um processo caiu ao tratá-las, ou uma versão anterior as guardou.`,
    `Hay unos ${numberText(many)} más sin resumen: un proceso cayó al tratarlos, o los guardó una versión anterior.`,
  ],
  walk: [
    'Look into the queues: others do not see the letters meanwhile',
    'Ler as próprias filas: enquanto isso outras pessoas não veem as mensagens',
    'Leer las propias colas: mientras tanto otras personas no ven los mensajes',
  ],
  notSeen: (many: number) => [
    `About ${numberText(many)} more cannot be seen now: another person or a killed run has received them. Look again in five minutes.`,
    `Mais umas ${numberText(many)} não podem ser vistas agora: outra pessoa ou um processo interrompido as recebeu. Olhe de novo em cinco minutos.`,
    `Unos ${numberText(many)} más no se pueden ver ahora: los recibió otra persona o un proceso interrumpido. Mire de nuevo en cinco minutos.`,
  ],
  gone: (many: number) => [
    `The queues count ${numberText(many)} fewer: the count may be a minute old, or they were removed without this connector.`,
    `As filas contam ${numberText(many)} a menos: a contagem pode ter um minuto, ou elas foram retiradas sem este conector.`,
    `Las colas cuentan ${numberText(many)} menos: la cuenta puede tener un minuto, o se retiraron sin este conector.`,
  ],
  byCause: ['By cause', 'Agrupadas por causa', 'Agrupados por causa'],
  many: ['Letters', 'Mensagens', 'Mensajes'],
  cause: ['Cause', 'Causa', 'Causa'],
  oldest: ['Oldest', 'Mais antiga', 'Más antiguo'],
  newest: ['Newest', 'Mais nova', 'Más nuevo'],
  example: ['Example', 'Exemplo', 'Ejemplo'],
  oneByOne: [
    'One by one, the newest first',
    'Uma a uma, a mais nova primeiro',
    'Uno por uno, el más nuevo primero',
  ],
  choose: ['Choose', 'Escolher', 'Elegir'],
  about: ['About', 'Sobre', 'Sobre'],
  givenUp: ['Given up', 'Abandonada', 'Abandonado'],
  attempts: (attempts: number) => [
    counted(attempts, 'attempt', 'attempts'),
    counted(attempts, 'tentativa', 'tentativas'),
    counted(attempts, 'intento', 'intentos'),
  ],
  replays: (replays: number) => [
    `sent again ${counted(replays, 'time', 'times')}`,
    `reenviada ${counted(replays, 'vez', 'vezes')}`,
    `reenviado ${counted(replays, 'vez', 'veces')}`,
  ],
  unreadable: [
    'a message that cannot be read',
    'uma mensagem que não pode ser lida',
    'un mensaje que no se puede leer',
  ],
  newestPage: ['Newest', 'Mais novas', 'Más nuevos'],
  olderPage: ['Older', 'Mais antigas', 'Más antiguos'],
  text: ['Text', 'Texto', 'Texto'],
  reason: ['Reason', 'Motivo', 'Motivo'],
  code: ['Code', 'Código', 'Código'],
  queue: ['Queue', 'Fila', 'Cola'],
  shop: ['Shop', 'Loja', 'Tienda'],
  since: ['Since', 'Desde', 'Desde'],
  until: ['Before', 'Antes de', 'Antes de'],
  any: ['any', 'qualquer', 'cualquiera'],
  filter: ['Filter', 'Filtrar', 'Filtrar'],
  noFilter: ['Show all', 'Mostrar todas', 'Mostrar todos'],
  replay: (many: number) => [
    `Send ${numberText(many)} again…`,
    `Reenviar ${numberText(many)}…`,
    `Reenviar ${numberText(many)}…`,
  ],
  replayTitle: (many: number) => [
    `Send ${counted(many, 'dead letter', 'dead letters')} again`,
    `Reenviar ${counted(many, 'mensagem', 'mensagens')}`,
    `Reenviar ${counted(many, 'mensaje', 'mensajes')}`,
  ],
  replayMeans: [
    'They go back to their queues, and the workers try them. What the loyalty service holds already is not sent twice.',
    'Elas voltam às suas filas e são tentadas de novo. O que o serviço de fidelidade já tem não é enviado duas vezes.',
    'Vuelven a sus colas y se intentan de nuevo. Lo que el servicio de fidelidad ya tiene no se envía dos veces.',
  ],
  refetch: [
    'as the store has it now, instead of the stored message',
    'como a loja tem agora, em vez da mensagem guardada',
    'como la tienda lo tiene ahora, en vez del mensaje guardado',
  ],
  force: [
    'even if the loyalty service was sent the same before',
    'mesmo que o mesmo já tenha sido enviado',
    'aunque ya se haya enviado lo mismo',
  ],
  because: [
    'Why drop it? This is recorded',
    'Por que descartar? Fica registrado',
    '¿Por qué descartar? Queda registrado',
  ],
  drop: (many: number) => [
    `Drop ${numberText(many)}…`,
    `Descartar ${numberText(many)}…`,
    `Descartar ${numberText(many)}…`,
  ],
  dropTitle: (many: number) => [
    `Drop ${counted(many, 'dead letter', 'dead letters')}`,
    `Descartar ${counted(many, 'mensagem', 'mensagens')}`,
    `Descartar ${counted(many, 'mensaje', 'mensajes')}`,
  ],
  dropMeans: [
    'What they are about is not sent again until it changes in the store. They are kept in a file on the machine that runs this console.',
    'Aquilo de que tratam não é enviado de novo até mudar na loja. Elas ficam em um arquivo na máquina que executa este console.',
    'Aquello de lo que tratan no se envía de nuevo hasta que cambie en la tienda. Quedan en un archivo en la máquina que ejecuta esta consola.',
  ],
  all: ['All dead letters', 'Todas as mensagens não entregues', 'Todos los mensajes no entregados'],
  story: [
    'Everything that happened with it, and both sides now',
    'Tudo o que aconteceu, e os dois lados agora',
    'Todo lo que pasó, y ambos lados ahora',
  ],
  ofThem: (matching: number) => [
    `${counted(matching, 'letter is', 'letters are')} about this in all.`,
    `Ao todo, ${counted(matching, 'mensagem trata', 'mensagens tratam')} disto.`,
    `En total, ${counted(matching, 'mensaje trata', 'mensajes tratan')} de esto.`,
  ],
  alike: (many: number, since: string) => [
    `The newest of ${numberText(many)} letters that say the same, since ${since}.`,
    `A mais nova de ${numberText(many)} mensagens iguais, desde ${since}.`,
    `El más nuevo de ${numberText(many)} mensajes iguales, desde ${since}.`,
  ],
  message: ['The message', 'A mensagem', 'El mensaje'],
  reveal: ['Show the whole message', 'Mostrar a mensagem inteira', 'Mostrar el mensaje entero'],
  revealMeans: [
    'It names people. That you looked is recorded.',
    'Ela cita pessoas. Fica registrado que você olhou.',
    'Nombra a personas. Queda registrado que usted miró.',
  ],
  ifSentNow: ['If it were sent now', 'Se fosse enviada agora', 'Si se enviara ahora'],
  differs: [
    'This differs from what was applied last:',
    'Isto difere do que foi aplicado por último:',
    'Esto difiere de lo que se aplicó la última vez:',
  ],
  ledger: ['What happened to it before', 'O que aconteceu antes', 'Lo que pasó antes'],
  notInLedger: ['Nothing is recorded.', 'Não há nada registrado.', 'No hay nada registrado.'],
  reasons: {
    unreadable: ['Cannot be read', 'Não pode ser lida', 'No se puede leer'],
    unmappable: ['Cannot be mapped', 'Não pode ser convertida', 'No se puede convertir'],
    rejected: [
      'Refused by the loyalty service',
      'Recusada pelo serviço de fidelidade',
      'Rechazado por el servicio de fidelidad',
    ],
    'retry-window-over': [
      'Tried for too long',
      'Tentada por tempo demais',
      'Intentado demasiado tiempo',
    ],
    'newer-release': ['Of a newer release', 'De uma versão mais nova', 'De una versión más nueva'],
    'made-room': [
      'Made room for other shops',
      'Deu lugar a outras lojas',
      'Dio lugar a otras tiendas',
    ],
    crashed: ['A worker died on it', 'Um processo caiu ao tratá-la', 'Un proceso cayó al tratarlo'],
    unknown: ['Of an unknown reason', 'De motivo desconhecido', 'De motivo desconocido'],
  } satisfies Readonly<Record<Group['reason'], Said>>,
  queues: {
    orders: ['Orders', 'Pedidos', 'Pedidos'],
    products: ['Products', 'Produtos', 'Productos'],
    coupons: ['Coupons and customers', 'Cupons e clientes', 'Cupones y clientes'],
    balances: ['Balances and redemptions', 'Saldos e resgates', 'Saldos y canjes'],
  } satisfies Readonly<Record<ListedLetter['family'], Said>>,
});
