import { type InEveryLanguage, numberText } from '../../words.ts';
import type { Group, ListedLetter } from './documents.ts';

interface Texts {
  readonly count: (matching: number) => string;
  readonly deletedAt: (when: string) => string;
  readonly withoutSummary: (many: number) => string;
  readonly walk: string;
  readonly notSeen: (many: number) => string;
  readonly gone: (many: number) => string;
  readonly byCause: string;
  readonly many: string;
  readonly cause: string;
  readonly oldest: string;
  readonly newest: string;
  readonly example: string;
  readonly oneByOne: string;
  readonly choose: string;
  readonly about: string;
  readonly givenUp: string;
  readonly attempts: (attempts: number) => string;
  readonly replays: (replays: number) => string;
  readonly unreadable: string;
  readonly newestPage: string;
  readonly olderPage: string;
  readonly text: string;
  readonly reason: string;
  readonly code: string;
  readonly queue: string;
  readonly shop: string;
  readonly since: string;
  readonly until: string;
  readonly any: string;
  readonly filter: string;
  readonly noFilter: string;
  readonly replay: (many: number) => string;
  readonly replayTitle: (many: number) => string;
  readonly replayMeans: string;
  readonly refetch: string;
  readonly force: string;
  readonly because: string;
  readonly drop: (many: number) => string;
  readonly dropTitle: (many: number) => string;
  readonly dropMeans: string;
  readonly all: string;
  readonly story: string;
  readonly ofThem: (matching: number) => string;
  readonly alike: (many: number, since: string) => string;
  readonly message: string;
  readonly reveal: string;
  readonly revealMeans: string;
  readonly ifSentNow: string;
  readonly differs: string;
  readonly ledger: string;
  readonly notInLedger: string;
  readonly reasons: Readonly<Record<Group['reason'], string>>;
  readonly queues: Readonly<Record<ListedLetter['family'], string>>;
}

const counted = (many: number, one: string, several: string) =>
  `${numberText(many)} ${many === 1 ? one : several}`;

export const strings: InEveryLanguage<Texts> = {
  en: {
    count: (matching) =>
      matching === 0 ? 'No dead letters' : `${counted(matching, 'dead letter', 'dead letters')}:`,
    deletedAt: (when) => `The oldest is deleted ${when}, unless it is sent again before.`,
    withoutSummary: (many) =>
      `About ${numberText(many)} more have no summary: a worker died on them, or an older release parked them.`,
    walk: 'Look into the queues: others do not see the letters meanwhile',
    notSeen: (many) =>
      `About ${numberText(many)} more cannot be seen now: another person or a killed run has received them. Look again in five minutes.`,
    gone: (many) =>
      `The queues count ${numberText(many)} fewer: the count may be a minute old, or they were removed without this connector.`,
    byCause: 'By cause',
    many: 'Letters',
    cause: 'Cause',
    oldest: 'Oldest',
    newest: 'Newest',
    example: 'Example',
    oneByOne: 'One by one, the newest first',
    choose: 'Choose',
    about: 'About',
    givenUp: 'Given up',
    attempts: (attempts) => counted(attempts, 'attempt', 'attempts'),
    replays: (replays) => `sent again ${counted(replays, 'time', 'times')}`,
    unreadable: 'a message that cannot be read',
    newestPage: 'Newest',
    olderPage: 'Older',
    text: 'Text',
    reason: 'Reason',
    code: 'Code',
    queue: 'Queue',
    shop: 'Shop',
    since: 'Since',
    until: 'Before',
    any: 'any',
    filter: 'Filter',
    noFilter: 'Show all',
    replay: (many) => `Send ${numberText(many)} again…`,
    replayTitle: (many) => `Send ${counted(many, 'dead letter', 'dead letters')} again`,
    replayMeans:
      'They go back to their queues, and the workers try them. What the loyalty service holds already is not sent twice.',
    refetch: 'as the store has it now, instead of the stored message',
    force: 'even if the loyalty service was sent the same before',
    because: 'Why drop it? This is recorded',
    drop: (many) => `Drop ${numberText(many)}…`,
    dropTitle: (many) => `Drop ${counted(many, 'dead letter', 'dead letters')}`,
    dropMeans:
      'What they are about is not sent again until it changes in the store. They are kept in a file on the machine that runs this console.',
    all: 'All dead letters',
    story: 'Everything that happened with it, and both sides now',
    ofThem: (matching) => `${counted(matching, 'letter is', 'letters are')} about this in all.`,
    alike: (many, since) =>
      `The newest of ${numberText(many)} letters that say the same, since ${since}.`,
    message: 'The message',
    reveal: 'Show the whole message',
    revealMeans: 'It names people. That you looked is recorded.',
    ifSentNow: 'If it were sent now',
    differs: 'This differs from what was applied last:',
    ledger: 'What happened to it before',
    notInLedger: 'Nothing is recorded.',
    reasons: {
      unreadable: 'Cannot be read',
      unmappable: 'Cannot be mapped',
      rejected: 'Refused by the loyalty service',
      'retry-window-over': 'Tried for too long',
      'newer-release': 'Of a newer release',
      'made-room': 'Made room for other shops',
      crashed: 'A worker died on it',
      unknown: 'Of an unknown reason',
    },
    queues: {
      orders: 'Orders',
      products: 'Products',
      coupons: 'Coupons and customers',
      balances: 'Balances and redemptions',
    },
  },
  'pt-BR': {
    count: (matching) =>
      matching === 0
        ? 'Nenhuma mensagem sem entrega'
        : `${counted(matching, 'mensagem não entregue', 'mensagens não entregues')}:`,
    deletedAt: (when) => `A mais antiga é apagada ${when}, se não for reenviada antes.`,
    withoutSummary: (many) =>
      `Há mais umas ${numberText(many)} sem resumo: um processo caiu ao tratá-las, ou uma versão anterior as guardou.`,
    walk: 'Ler as próprias filas: enquanto isso outras pessoas não veem as mensagens',
    notSeen: (many) =>
      `Mais umas ${numberText(many)} não podem ser vistas agora: outra pessoa ou um processo interrompido as recebeu. Olhe de novo em cinco minutos.`,
    gone: (many) =>
      `As filas contam ${numberText(many)} a menos: a contagem pode ter um minuto, ou elas foram retiradas sem este conector.`,
    byCause: 'Agrupadas por causa',
    many: 'Mensagens',
    cause: 'Causa',
    oldest: 'Mais antiga',
    newest: 'Mais nova',
    example: 'Exemplo',
    oneByOne: 'Uma a uma, a mais nova primeiro',
    choose: 'Escolher',
    about: 'Sobre',
    givenUp: 'Abandonada',
    attempts: (attempts) => counted(attempts, 'tentativa', 'tentativas'),
    replays: (replays) => `reenviada ${counted(replays, 'vez', 'vezes')}`,
    unreadable: 'uma mensagem que não pode ser lida',
    newestPage: 'Mais novas',
    olderPage: 'Mais antigas',
    text: 'Texto',
    reason: 'Motivo',
    code: 'Código',
    queue: 'Fila',
    shop: 'Loja',
    since: 'Desde',
    until: 'Antes de',
    any: 'qualquer',
    filter: 'Filtrar',
    noFilter: 'Mostrar todas',
    replay: (many) => `Reenviar ${numberText(many)}…`,
    replayTitle: (many) => `Reenviar ${counted(many, 'mensagem', 'mensagens')}`,
    replayMeans:
      'Elas voltam às suas filas e são tentadas de novo. O que o serviço de fidelidade já tem não é enviado duas vezes.',
    refetch: 'como a loja tem agora, em vez da mensagem guardada',
    force: 'mesmo que o mesmo já tenha sido enviado',
    because: 'Por que descartar? Fica registrado',
    drop: (many) => `Descartar ${numberText(many)}…`,
    dropTitle: (many) => `Descartar ${counted(many, 'mensagem', 'mensagens')}`,
    dropMeans:
      'Aquilo de que tratam não é enviado de novo até mudar na loja. Elas ficam em um arquivo na máquina que executa este console.',
    all: 'Todas as mensagens não entregues',
    story: 'Tudo o que aconteceu, e os dois lados agora',
    ofThem: (matching) =>
      `Ao todo, ${counted(matching, 'mensagem trata', 'mensagens tratam')} disto.`,
    alike: (many, since) => `A mais nova de ${numberText(many)} mensagens iguais, desde ${since}.`,
    message: 'A mensagem',
    reveal: 'Mostrar a mensagem inteira',
    revealMeans: 'Ela cita pessoas. Fica registrado que você olhou.',
    ifSentNow: 'Se fosse enviada agora',
    differs: 'Isto difere do que foi aplicado por último:',
    ledger: 'O que aconteceu antes',
    notInLedger: 'Não há nada registrado.',
    reasons: {
      unreadable: 'Não pode ser lida',
      unmappable: 'Não pode ser convertida',
      rejected: 'Recusada pelo serviço de fidelidade',
      'retry-window-over': 'Tentada por tempo demais',
      'newer-release': 'De uma versão mais nova',
      'made-room': 'Deu lugar a outras lojas',
      crashed: 'Um processo caiu ao tratá-la',
      unknown: 'De motivo desconhecido',
    },
    queues: {
      orders: 'Pedidos',
      products: 'Produtos',
      coupons: 'Cupons e clientes',
      balances: 'Saldos e resgates',
    },
  },
  es: {
    count: (matching) =>
      matching === 0
        ? 'Ningún mensaje sin entregar'
        : `${counted(matching, 'mensaje no entregado', 'mensajes no entregados')}:`,
    deletedAt: (when) => `El más antiguo se borra ${when}, si no se reenvía antes.`,
    withoutSummary: (many) =>
      `Hay unos ${numberText(many)} más sin resumen: un proceso cayó al tratarlos, o los guardó una versión anterior.`,
    walk: 'Leer las propias colas: mientras tanto otras personas no ven los mensajes',
    notSeen: (many) =>
      `Unos ${numberText(many)} más no se pueden ver ahora: los recibió otra persona o un proceso interrumpido. Mire de nuevo en cinco minutos.`,
    gone: (many) =>
      `Las colas cuentan ${numberText(many)} menos: la cuenta puede tener un minuto, o se retiraron sin este conector.`,
    byCause: 'Agrupados por causa',
    many: 'Mensajes',
    cause: 'Causa',
    oldest: 'Más antiguo',
    newest: 'Más nuevo',
    example: 'Ejemplo',
    oneByOne: 'Uno por uno, el más nuevo primero',
    choose: 'Elegir',
    about: 'Sobre',
    givenUp: 'Abandonado',
    attempts: (attempts) => counted(attempts, 'intento', 'intentos'),
    replays: (replays) => `reenviado ${counted(replays, 'vez', 'veces')}`,
    unreadable: 'un mensaje que no se puede leer',
    newestPage: 'Más nuevos',
    olderPage: 'Más antiguos',
    text: 'Texto',
    reason: 'Motivo',
    code: 'Código',
    queue: 'Cola',
    shop: 'Tienda',
    since: 'Desde',
    until: 'Antes de',
    any: 'cualquiera',
    filter: 'Filtrar',
    noFilter: 'Mostrar todos',
    replay: (many) => `Reenviar ${numberText(many)}…`,
    replayTitle: (many) => `Reenviar ${counted(many, 'mensaje', 'mensajes')}`,
    replayMeans:
      'Vuelven a sus colas y se intentan de nuevo. Lo que el servicio de fidelidad ya tiene no se envía dos veces.',
    refetch: 'como la tienda lo tiene ahora, en vez del mensaje guardado',
    force: 'aunque ya se haya enviado lo mismo',
    because: '¿Por qué descartar? Queda registrado',
    drop: (many) => `Descartar ${numberText(many)}…`,
    dropTitle: (many) => `Descartar ${counted(many, 'mensaje', 'mensajes')}`,
    dropMeans:
      'Aquello de lo que tratan no se envía de nuevo hasta que cambie en la tienda. Quedan en un archivo en la máquina que ejecuta esta consola.',
    all: 'Todos los mensajes no entregados',
    story: 'Todo lo que pasó, y ambos lados ahora',
    ofThem: (matching) =>
      `En total, ${counted(matching, 'mensaje trata', 'mensajes tratan')} de esto.`,
    alike: (many, since) => `El más nuevo de ${numberText(many)} mensajes iguales, desde ${since}.`,
    message: 'El mensaje',
    reveal: 'Mostrar el mensaje entero',
    revealMeans: 'Nombra a personas. Queda registrado que usted miró.',
    ifSentNow: 'Si se enviara ahora',
    differs: 'Esto difiere de lo que se aplicó la última vez:',
    ledger: 'Lo que pasó antes',
    notInLedger: 'No hay nada registrado.',
    reasons: {
      unreadable: 'No se puede leer',
      unmappable: 'No se puede convertir',
      rejected: 'Rechazado por el servicio de fidelidad',
      'retry-window-over': 'Intentado demasiado tiempo',
      'newer-release': 'De una versión más nueva',
      'made-room': 'Dio lugar a otras tiendas',
      crashed: 'Un proceso cayó al tratarlo',
      unknown: 'De motivo desconocido',
    },
    queues: {
      orders: 'Pedidos',
      products: 'Productos',
      coupons: 'Cupones y clientes',
      balances: 'Saldos y canjes',
    },
  },
};
