import type { TraceDocument } from '../../../../trace/show-trace.ts';
import { inEveryLanguage, type Said } from '../../words.ts';

type Line = TraceDocument['timeline'][number];
type Why = NonNullable<TraceDocument['points']>['why'];

export const strings = inEveryLanguage({
  search: ['What do you look for?', 'O que você procura?', '¿Qué busca?'],
  hint: [
    'Order number or name, product, coupon code, customer id or e-mail address',
    'Número ou nome do pedido, produto, código de cupom, id ou e-mail do cliente',
    'Número o nombre del pedido, producto, código de cupón, id o correo del cliente',
  ],
  find: ['Find', 'Procurar', 'Buscar'],
  several: [
    'Several things may be meant',
    'O texto pode ser de mais de uma coisa',
    'El texto puede ser de más de una cosa',
  ],
  kinds: {
    order: ['Order', 'Pedido', 'Pedido'],
    product: ['Product', 'Produto', 'Producto'],
    coupon: ['Coupon', 'Cupom', 'Cupón'],
    customer: ['Customer', 'Cliente', 'Cliente'],
  },
  answer: ['The answer', 'A resposta', 'La respuesta'],
  inStore: ['In the store now:', 'Na loja agora:', 'En la tienda ahora:'],
  sendAgain: ['Send again…', 'Reenviar…', 'Reenviar…'],
  account: ['Points and rewards', 'Pontos e recompensas', 'Puntos y recompensas'],
  reveal: ['Show personal data', 'Mostrar dados pessoais', 'Mostrar datos personales'],
  recorded: [
    'This is recorded with your name.',
    'Isto fica registrado com o seu nome.',
    'Queda registrado con su nombre.',
  ],
  form: [
    'What the loyalty service should hold',
    'O que o serviço de fidelidade deve ter',
    'Lo que el servicio de fidelidad debe tener',
  ],
  otherOrders: ['Other orders', 'Outros pedidos', 'Otros pedidos'],
  timeline: ['What happened', 'O que aconteceu', 'Qué pasó'],
  bothSides: ['Both sides now', 'Os dois lados agora', 'Ambos lados ahora'],
  differs: ['differs', 'diferente', 'diferente'],
  verdicts: {
    agrees: ['both sides agree', 'os dois lados estão iguais', 'ambos lados coinciden'],
    differs: ['the sides differ', 'os lados diferem', 'los lados difieren'],
    unknown: ['not known', 'não se sabe', 'no se sabe'],
  } satisfies Readonly<Record<TraceDocument['verdict']['kind'], Said>>,
  /** Why an order has points or not, in two or three words. */
  points: {
    earned: ['has points', 'tem pontos', 'tiene puntos'],
    sent: ['sent', 'enviado', 'enviado'],
    expected: ['points will follow', 'os pontos vão chegar', 'los puntos llegarán'],
    waiting: ['waits', 'espera', 'espera'],
    paused: ['paused', 'pausado', 'en pausa'],
    uncertain: ['is tried again', 'será tentado de novo', 'se intentará otra vez'],
    pending: ['not complete yet', 'ainda não concluído', 'aún no completado'],
    'not-complete': ['not complete yet', 'ainda não concluído', 'aún no completado'],
    exchange: ['being exchanged', 'troca em andamento', 'cambio en curso'],
    rejected: ['given up', 'não entregue', 'no entregado'],
  } as Readonly<Partial<Record<Why, Said>>>,
  /** The same as an answer to a customer, for a person who does not know how the connector works. */
  meanings: {
    guest: [
      'No points: it was ordered as a guest, without a customer who could have them.',
      'Sem pontos: a compra foi feita como convidado, sem um cliente que pudesse recebê-los.',
      'Sin puntos: se compró como invitado, sin un cliente que pudiera recibirlos.',
    ],
    'customer-without-email': [
      'No points: the customer has no e-mail address, and the loyalty service cannot tell who it is.',
      'Sem pontos: o cliente não tem e-mail, e o serviço de fidelidade não sabe quem é.',
      'Sin puntos: el cliente no tiene correo, y el servicio de fidelidad no sabe quién es.',
    ],
    'test-order': [
      'No points: it is a test order.',
      'Sem pontos: é um pedido de teste.',
      'Sin puntos: es un pedido de prueba.',
    ],
    pending: [
      'No points yet: the order is not complete. It earns them by itself as soon as it is.',
      'Ainda sem pontos: o pedido não está concluído. Ele os recebe sozinho assim que estiver.',
      'Aún sin puntos: el pedido no está completado. Los recibe por sí solo en cuanto lo esté.',
    ],
    'not-complete': [
      'No points yet: the order is not complete. It earns them by itself as soon as it is.',
      'Ainda sem pontos: o pedido não está concluído. Ele os recebe sozinho assim que estiver.',
      'Aún sin puntos: el pedido no está completado. Los recibe por sí solo en cuanto lo esté.',
    ],
    'before-go-live': [
      'No points: it was placed before the loyalty program began.',
      'Sem pontos: o pedido é de antes do início do programa de fidelidade.',
      'Sin puntos: el pedido es anterior al inicio del programa de fidelidad.',
    ],
    exchange: [
      'No points yet: an exchange of the items is under way.',
      'Ainda sem pontos: há uma troca de itens em andamento.',
      'Aún sin puntos: hay un cambio de artículos en curso.',
    ],
    redacted: [
      "No points: the customer's data was erased.",
      'Sem pontos: os dados do cliente foram apagados.',
      'Sin puntos: los datos del cliente se borraron.',
    ],
    'never-sent': [
      'No points: the order ended before anything of it was sent.',
      'Sem pontos: o pedido terminou antes de ser enviado.',
      'Sin puntos: el pedido terminó antes de enviarse.',
    ],
    cancelled: [
      'No points: the order was cancelled or wholly refunded.',
      'Sem pontos: o pedido foi cancelado ou reembolsado por inteiro.',
      'Sin puntos: el pedido se canceló o se reembolsó por completo.',
    ],
    'rule-fails': [
      'No points: a rule in the settings fails for this order. Its operator must repair it.',
      'Sem pontos: uma regra da configuração falha para este pedido. Um operador precisa corrigi-la.',
      'Sin puntos: una regla de la configuración falla para este pedido. Un operador debe corregirla.',
    ],
    paused: [
      'No points yet: sending to the loyalty service is paused. It goes on when the pause ends.',
      'Ainda sem pontos: o envio ao serviço de fidelidade está pausado. Ele continua quando a pausa terminar.',
      'Aún sin puntos: el envío al servicio de fidelidad está en pausa. Sigue cuando termine la pausa.',
    ],
    rejected: [
      'No points yet: the order could not be sent to the loyalty service. An operator must find out why and send it again.',
      'Ainda sem pontos: não foi possível enviar o pedido ao serviço de fidelidade. Um operador precisa descobrir por quê e enviá-lo de novo.',
      'Aún sin puntos: no se pudo enviar el pedido al servicio de fidelidad. Un operador debe averiguar por qué y enviarlo otra vez.',
    ],
    uncertain: [
      'No points yet: the loyalty service has not confirmed the order. It is sent again by itself.',
      'Ainda sem pontos: o serviço de fidelidade não confirmou o pedido. Ele será enviado de novo sozinho.',
      'Aún sin puntos: el servicio de fidelidad no ha confirmado el pedido. Se enviará otra vez por sí solo.',
    ],
    waiting: [
      'No points yet: the loyalty service does not have the order yet. It is sent by itself; there is nothing to do.',
      'Ainda sem pontos: o serviço de fidelidade ainda não tem o pedido. Ele será enviado sozinho; não há nada a fazer.',
      'Aún sin puntos: el servicio de fidelidad todavía no tiene el pedido. Se enviará por sí solo; no hay nada que hacer.',
    ],
    'total-zero': [
      'No points: nothing was left to pay.',
      'Sem pontos: não restou nada a pagar.',
      'Sin puntos: no quedó nada por pagar.',
    ],
    'not-in-service': [
      'No points: the order was sent, but the loyalty service does not have it. An operator must send it again.',
      'Sem pontos: o pedido foi enviado, mas o serviço de fidelidade não o tem. Um operador precisa enviá-lo de novo.',
      'Sin puntos: el pedido se envió, pero el servicio de fidelidad no lo tiene. Un operador debe enviarlo otra vez.',
    ],
    'cancelled-in-service': [
      'No points: the order is cancelled in the loyalty service.',
      'Sem pontos: o pedido está cancelado no serviço de fidelidade.',
      'Sin puntos: el pedido está cancelado en el servicio de fidelidad.',
    ],
    'none-by-service': [
      'No points: the loyalty service has the order and gives none for it.',
      'Sem pontos: o serviço de fidelidade tem o pedido e não dá pontos por ele.',
      'Sin puntos: el servicio de fidelidad tiene el pedido y no da puntos por él.',
    ],
    expected: [
      'No points yet: the loyalty service has the order and will give them.',
      'Ainda sem pontos: o serviço de fidelidade tem o pedido e vai dá-los.',
      'Aún sin puntos: el servicio de fidelidad tiene el pedido y los dará.',
    ],
    earned: [
      'The order has its points.',
      'O pedido já tem os seus pontos.',
      'El pedido ya tiene sus puntos.',
    ],
    sent: [
      'The loyalty service has the order; its rules decide how many points that gives.',
      'O serviço de fidelidade tem o pedido; as regras do programa decidem quantos pontos ele dá.',
      'El servicio de fidelidad tiene el pedido; las reglas del programa deciden cuántos puntos da.',
    ],
  } as Readonly<Partial<Record<Why, Said>>>,
  /** The loyalty service does not have the last change. */
  earlierPoints: [
    'The points are those of before its last change, which the loyalty service does not have yet.',
    'Os pontos são os de antes da última alteração, que o serviço de fidelidade ainda não tem.',
    'Los puntos son los de antes del último cambio, que el servicio de fidelidad todavía no tiene.',
  ],
  noPoints: ['no points', 'sem pontos', 'sin puntos'],
  who: {
    store: ['Store', 'Loja', 'Tienda'],
    queue: ['Queue', 'Fila', 'Cola'],
    ledger: ['Connector', 'Conector', 'Conector'],
    'dead letter': ['Dead letter', 'Não entregue', 'No entregado'],
    'loyalty service': ['Loyalty service', 'Serviço de fidelidade', 'Servicio de fidelidad'],
  } satisfies Readonly<Record<Line['who'], Said>>,
  events: {
    created: ['created', 'criado', 'creado'],
    changed: ['changed last', 'última alteração', 'último cambio'],
    fulfilled: ['fulfilled', 'enviado ao cliente', 'enviado al cliente'],
    refunded: ['refunded', 'reembolsado', 'reembolsado'],
    cancelled: ['cancelled', 'cancelado', 'cancelado'],
    'webhook-sent': ['webhook sent', 'webhook enviado', 'webhook enviado'],
    received: ['received', 'recebido', 'recibido'],
    waits: ['waits', 'espera', 'espera'],
    'next-try': ['next attempt', 'próxima tentativa', 'próximo intento'],
    'given-up': ['given up', 'abandonado', 'abandonado'],
    replayed: ['sent again', 'reenviado', 'reenviado'],
    'points-given': ['points given', 'pontos creditados', 'puntos abonados'],
  } satisfies Readonly<Record<Exclude<Line['event'], 'outcome'>, Said>>,
  /** As the ledger names them. */
  outcomes: {
    applied: ['sent', 'enviado', 'enviado'],
    attempted: ['sent, without an answer', 'enviado, sem resposta', 'enviado, sin respuesta'],
    unchanged: ['nothing new to send', 'nada novo a enviar', 'nada nuevo que enviar'],
    skipped: ['not sent', 'não enviado', 'no enviado'],
    rejected: ['gave up', 'desistiu', 'abandonó'],
  } as Readonly<Record<string, Said>>,
  /** Of a comparison. */
  fields: {
    state: ['state', 'estado', 'estado'],
    amount: ['amount', 'valor', 'importe'],
    coupon: ['coupon', 'cupom', 'cupón'],
    value: ['value', 'valor', 'valor'],
    type: ['type', 'tipo', 'tipo'],
    it: ['sent', 'enviado', 'enviado'],
  } as Readonly<Record<string, Said>>,
});
