import type { TraceDocument } from '../../../../trace/show-trace.ts';
import type { InEveryLanguage } from '../../words.ts';

type Line = TraceDocument['timeline'][number];
type Why = NonNullable<TraceDocument['points']>['why'];

interface Texts {
  readonly search: string;
  readonly hint: string;
  readonly find: string;
  readonly several: string;
  readonly kinds: Readonly<Record<'order' | 'product' | 'coupon' | 'customer', string>>;
  readonly answer: string;
  readonly inStore: string;
  readonly sendAgain: string;
  readonly account: string;
  readonly reveal: string;
  readonly recorded: string;
  readonly form: string;
  readonly otherOrders: string;
  readonly timeline: string;
  readonly bothSides: string;
  readonly differs: string;
  readonly verdicts: Readonly<Record<TraceDocument['verdict']['kind'], string>>;
  /** Why an order has points or not, in two or three words. */
  readonly points: Readonly<Partial<Record<Why, string>>>;
  /** The same as an answer to a customer, for a person who does not know how the connector works. */
  readonly meanings: Readonly<Partial<Record<Why, string>>>;
  /** The loyalty service does not have the last change. */
  readonly earlierPoints: string;
  readonly noPoints: string;
  readonly who: Readonly<Record<Line['who'], string>>;
  readonly events: Readonly<Record<Exclude<Line['event'], 'outcome'>, string>>;
  /** As the ledger names them. */
  readonly outcomes: Readonly<Record<string, string>>;
  /** Of a comparison. */
  readonly fields: Readonly<Record<string, string>>;
}

export const strings: InEveryLanguage<Texts> = {
  en: {
    search: 'What do you look for?',
    hint: 'Order number or name, product, coupon code, customer id or e-mail address',
    find: 'Find',
    several: 'Several things may be meant',
    kinds: { order: 'Order', product: 'Product', coupon: 'Coupon', customer: 'Customer' },
    answer: 'The answer',
    inStore: 'In the store now:',
    sendAgain: 'Send again…',
    account: 'Points and rewards',
    reveal: 'Show personal data',
    recorded: 'This is recorded with your name.',
    form: 'What the loyalty service should hold',
    otherOrders: 'Other orders',
    timeline: 'What happened',
    bothSides: 'Both sides now',
    differs: 'differs',
    verdicts: { agrees: 'both sides agree', differs: 'the sides differ', unknown: 'not known' },
    points: {
      ...{ earned: 'has points', sent: 'sent', expected: 'points will follow' },
      ...{ waiting: 'waits', paused: 'paused', uncertain: 'is tried again' },
      ...{ pending: 'not complete yet', 'not-complete': 'not complete yet' },
      ...{ exchange: 'being exchanged', rejected: 'given up' },
    },
    meanings: {
      guest: 'No points: it was ordered as a guest, without a customer who could have them.',
      'customer-without-email':
        'No points: the customer has no e-mail address, and the loyalty service cannot tell who it is.',
      'test-order': 'No points: it is a test order.',
      pending:
        'No points yet: the order is not complete. It earns them by itself as soon as it is.',
      'not-complete':
        'No points yet: the order is not complete. It earns them by itself as soon as it is.',
      'before-go-live': 'No points: it was placed before the loyalty program began.',
      exchange: 'No points yet: an exchange of the items is under way.',
      redacted: "No points: the customer's data was erased.",
      'never-sent': 'No points: the order ended before it was complete.',
      cancelled: 'No points: the order was cancelled or wholly refunded.',
      'rule-fails':
        'No points: a rule in the settings fails for this order. Its operator must repair it.',
      paused:
        'No points yet: sending to the loyalty service is paused. It goes on when the pause ends.',
      rejected:
        'No points yet: the order could not be sent to the loyalty service. An operator must find out why and send it again.',
      uncertain:
        'No points yet: the loyalty service has not confirmed the order. It is sent again by itself.',
      waiting:
        'No points yet: the loyalty service does not have the order yet. It is sent by itself; there is nothing to do.',
      'total-zero': 'No points: nothing was left to pay.',
      'not-in-service':
        'No points: the order was sent, but the loyalty service does not have it. An operator must send it again.',
      'cancelled-in-service': 'No points: the order is cancelled in the loyalty service.',
      'none-by-service': 'No points: the loyalty service has the order and gives none for it.',
      expected: 'No points yet: the loyalty service has the order and will give them.',
      earned: 'The order has its points.',
      sent: 'The loyalty service has the order; its rules decide how many points that gives.',
    },
    earlierPoints:
      'The points are those of before its last change, which the loyalty service does not have yet.',
    noPoints: 'no points',
    who: {
      ...{ store: 'Store', queue: 'Queue', ledger: 'Connector' },
      ...{ 'dead letter': 'Dead letter', 'loyalty service': 'Loyalty service' },
    },
    events: {
      ...{ created: 'created', changed: 'changed last', fulfilled: 'fulfilled' },
      ...{ refunded: 'refunded', cancelled: 'cancelled', 'webhook-sent': 'webhook sent' },
      ...{ received: 'received', waits: 'waits', 'next-try': 'next attempt' },
      ...{ 'given-up': 'given up', replayed: 'sent again', 'points-given': 'points given' },
    },
    outcomes: {
      ...{
        applied: 'sent',
        attempted: 'sent, without an answer',
        unchanged: 'nothing new to send',
      },
      ...{ skipped: 'not sent', rejected: 'gave up' },
    },
    fields: {
      ...{ state: 'state', amount: 'amount', coupon: 'coupon' },
      ...{ value: 'value', type: 'type', it: 'sent' },
    },
  },
  'pt-BR': {
    search: 'O que você procura?',
    hint: 'Número ou nome do pedido, produto, código de cupom, id ou e-mail do cliente',
    find: 'Procurar',
    several: 'O texto pode ser de mais de uma coisa',
    kinds: { order: 'Pedido', product: 'Produto', coupon: 'Cupom', customer: 'Cliente' },
    answer: 'A resposta',
    inStore: 'Na loja agora:',
    sendAgain: 'Reenviar…',
    account: 'Pontos e recompensas',
    reveal: 'Mostrar dados pessoais',
    recorded: 'Isto fica registrado com o seu nome.',
    form: 'O que o serviço de fidelidade deve ter',
    otherOrders: 'Outros pedidos',
    timeline: 'O que aconteceu',
    bothSides: 'Os dois lados agora',
    differs: 'diferente',
    verdicts: {
      agrees: 'os dois lados estão iguais',
      differs: 'os lados diferem',
      unknown: 'não se sabe',
    },
    points: {
      ...{ earned: 'tem pontos', sent: 'enviado', expected: 'os pontos vão chegar' },
      ...{ waiting: 'espera', paused: 'pausado', uncertain: 'será tentado de novo' },
      ...{ pending: 'ainda não concluído', 'not-complete': 'ainda não concluído' },
      ...{ exchange: 'troca em andamento', rejected: 'não entregue' },
    },
    meanings: {
      guest:
        'Sem pontos: a compra foi feita como convidado, sem um cliente que pudesse recebê-los.',
      'customer-without-email':
        'Sem pontos: o cliente não tem e-mail, e o serviço de fidelidade não sabe quem é.',
      'test-order': 'Sem pontos: é um pedido de teste.',
      pending:
        'Ainda sem pontos: o pedido não está concluído. Ele os recebe sozinho assim que estiver.',
      'not-complete':
        'Ainda sem pontos: o pedido não está concluído. Ele os recebe sozinho assim que estiver.',
      'before-go-live': 'Sem pontos: o pedido é de antes do início do programa de fidelidade.',
      exchange: 'Ainda sem pontos: há uma troca de itens em andamento.',
      redacted: 'Sem pontos: os dados do cliente foram apagados.',
      'never-sent': 'Sem pontos: o pedido terminou antes de ser concluído.',
      cancelled: 'Sem pontos: o pedido foi cancelado ou reembolsado por inteiro.',
      'rule-fails':
        'Sem pontos: uma regra da configuração falha para este pedido. Um operador precisa corrigi-la.',
      paused:
        'Ainda sem pontos: o envio ao serviço de fidelidade está pausado. Ele continua quando a pausa terminar.',
      rejected:
        'Ainda sem pontos: não foi possível enviar o pedido ao serviço de fidelidade. Um operador precisa descobrir por quê e enviá-lo de novo.',
      uncertain:
        'Ainda sem pontos: o serviço de fidelidade não confirmou o pedido. Ele será enviado de novo sozinho.',
      waiting:
        'Ainda sem pontos: o serviço de fidelidade ainda não tem o pedido. Ele será enviado sozinho; não há nada a fazer.',
      'total-zero': 'Sem pontos: não restou nada a pagar.',
      'not-in-service':
        'Sem pontos: o pedido foi enviado, mas o serviço de fidelidade não o tem. Um operador precisa enviá-lo de novo.',
      'cancelled-in-service': 'Sem pontos: o pedido está cancelado no serviço de fidelidade.',
      'none-by-service':
        'Sem pontos: o serviço de fidelidade tem o pedido e não dá pontos por ele.',
      expected: 'Ainda sem pontos: o serviço de fidelidade tem o pedido e vai dá-los.',
      earned: 'O pedido já tem os seus pontos.',
      sent: 'O serviço de fidelidade tem o pedido; as regras do programa decidem quantos pontos ele dá.',
    },
    earlierPoints:
      'Os pontos são os de antes da última alteração, que o serviço de fidelidade ainda não tem.',
    noPoints: 'sem pontos',
    who: {
      ...{ store: 'Loja', queue: 'Fila', ledger: 'Conector' },
      ...{ 'dead letter': 'Não entregue', 'loyalty service': 'Serviço de fidelidade' },
    },
    events: {
      ...{ created: 'criado', changed: 'última alteração', fulfilled: 'enviado ao cliente' },
      ...{ refunded: 'reembolsado', cancelled: 'cancelado', 'webhook-sent': 'webhook enviado' },
      ...{ received: 'recebido', waits: 'espera' },
      ...{ 'next-try': 'próxima tentativa', 'given-up': 'abandonado', replayed: 'reenviado' },
      ...{ 'points-given': 'pontos creditados' },
    },
    outcomes: {
      ...{
        applied: 'enviado',
        attempted: 'enviado, sem resposta',
        unchanged: 'nada novo a enviar',
      },
      ...{ skipped: 'não enviado', rejected: 'desistiu' },
    },
    fields: {
      ...{ state: 'estado', amount: 'valor', coupon: 'cupom' },
      ...{ value: 'valor', type: 'tipo', it: 'enviado' },
    },
  },
  es: {
    search: '¿Qué busca?',
    hint: 'Número o nombre del pedido, producto, código de cupón, id o correo del cliente',
    find: 'Buscar',
    several: 'El texto puede ser de más de una cosa',
    kinds: { order: 'Pedido', product: 'Producto', coupon: 'Cupón', customer: 'Cliente' },
    answer: 'La respuesta',
    inStore: 'En la tienda ahora:',
    sendAgain: 'Reenviar…',
    account: 'Puntos y recompensas',
    reveal: 'Mostrar datos personales',
    recorded: 'Queda registrado con su nombre.',
    form: 'Lo que el servicio de fidelidad debe tener',
    otherOrders: 'Otros pedidos',
    timeline: 'Qué pasó',
    bothSides: 'Ambos lados ahora',
    differs: 'diferente',
    verdicts: {
      agrees: 'ambos lados coinciden',
      differs: 'los lados difieren',
      unknown: 'no se sabe',
    },
    points: {
      ...{ earned: 'tiene puntos', sent: 'enviado', expected: 'los puntos llegarán' },
      ...{ waiting: 'espera', paused: 'en pausa', uncertain: 'se intentará otra vez' },
      ...{ pending: 'aún no completado', 'not-complete': 'aún no completado' },
      ...{ exchange: 'cambio en curso', rejected: 'no entregado' },
    },
    meanings: {
      guest: 'Sin puntos: se compró como invitado, sin un cliente que pudiera recibirlos.',
      'customer-without-email':
        'Sin puntos: el cliente no tiene correo, y el servicio de fidelidad no sabe quién es.',
      'test-order': 'Sin puntos: es un pedido de prueba.',
      pending:
        'Aún sin puntos: el pedido no está completado. Los recibe por sí solo en cuanto lo esté.',
      'not-complete':
        'Aún sin puntos: el pedido no está completado. Los recibe por sí solo en cuanto lo esté.',
      'before-go-live': 'Sin puntos: el pedido es anterior al inicio del programa de fidelidad.',
      exchange: 'Aún sin puntos: hay un cambio de artículos en curso.',
      redacted: 'Sin puntos: los datos del cliente se borraron.',
      'never-sent': 'Sin puntos: el pedido terminó antes de completarse.',
      cancelled: 'Sin puntos: el pedido se canceló o se reembolsó por completo.',
      'rule-fails':
        'Sin puntos: una regla de la configuración falla para este pedido. Un operador debe corregirla.',
      paused:
        'Aún sin puntos: el envío al servicio de fidelidad está en pausa. Sigue cuando termine la pausa.',
      rejected:
        'Aún sin puntos: no se pudo enviar el pedido al servicio de fidelidad. Un operador debe averiguar por qué y enviarlo otra vez.',
      uncertain:
        'Aún sin puntos: el servicio de fidelidad no ha confirmado el pedido. Se enviará otra vez por sí solo.',
      waiting:
        'Aún sin puntos: el servicio de fidelidad todavía no tiene el pedido. Se enviará por sí solo; no hay nada que hacer.',
      'total-zero': 'Sin puntos: no quedó nada por pagar.',
      'not-in-service':
        'Sin puntos: el pedido se envió, pero el servicio de fidelidad no lo tiene. Un operador debe enviarlo otra vez.',
      'cancelled-in-service': 'Sin puntos: el pedido está cancelado en el servicio de fidelidad.',
      'none-by-service':
        'Sin puntos: el servicio de fidelidad tiene el pedido y no da puntos por él.',
      expected: 'Aún sin puntos: el servicio de fidelidad tiene el pedido y los dará.',
      earned: 'El pedido ya tiene sus puntos.',
      sent: 'El servicio de fidelidad tiene el pedido; las reglas del programa deciden cuántos puntos da.',
    },
    earlierPoints:
      'Los puntos son los de antes del último cambio, que el servicio de fidelidad todavía no tiene.',
    noPoints: 'sin puntos',
    who: {
      ...{ store: 'Tienda', queue: 'Cola', ledger: 'Conector' },
      ...{ 'dead letter': 'No entregado', 'loyalty service': 'Servicio de fidelidad' },
    },
    events: {
      ...{ created: 'creado', changed: 'último cambio', fulfilled: 'enviado al cliente' },
      ...{ refunded: 'reembolsado', cancelled: 'cancelado', 'webhook-sent': 'webhook enviado' },
      ...{ received: 'recibido', waits: 'espera' },
      ...{ 'next-try': 'próximo intento', 'given-up': 'abandonado', replayed: 'reenviado' },
      ...{ 'points-given': 'puntos abonados' },
    },
    outcomes: {
      ...{
        applied: 'enviado',
        attempted: 'enviado, sin respuesta',
        unchanged: 'nada nuevo que enviar',
      },
      ...{ skipped: 'no enviado', rejected: 'abandonó' },
    },
    fields: {
      ...{ state: 'estado', amount: 'importe', coupon: 'cupón' },
      ...{ value: 'valor', type: 'tipo', it: 'enviado' },
    },
  },
};
