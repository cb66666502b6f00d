import type { Visit } from '../visit.ts';

/** What a shopper reads, besides the widget: in Portuguese and in Spanish. */
const WORDS: Readonly<Record<string, readonly [pt: string, es: string]>> = {
  'Skip to the content': ['Ir para o conteúdo', 'Ir al contenido'],
  Shop: ['Loja', 'Tienda'],
  Loyalty: ['Fidelidade', 'Fidelidad'],
  Till: ['Caixa', 'Caja'],
  Cart: ['Carrinho', 'Carrito'],
  'Log in': ['Entrar', 'Iniciar sesión'],
  points: ['pontos', 'puntos'],
  'Our products': ['Nossos produtos', 'Nuestros productos'],
  'Every order earns points. They become discounts on the next one.': [
    'Cada pedido rende pontos, que viram desconto no próximo.',
    'Cada pedido da puntos, que son descuentos en el siguiente.',
  ],
  from: ['a partir de', 'desde'],
  Variant: ['Variante', 'Variante'],
  Quantity: ['Quantidade', 'Cantidad'],
  'Add to cart': ['Adicionar ao carrinho', 'Añadir al carrito'],
  'Your cart is empty.': ['Seu carrinho está vazio.', 'Tu carrito está vacío.'],
  'See the products': ['Ver os produtos', 'Ver los productos'],
  Summary: ['Resumo', 'Resumen'],
  'Place order': ['Fazer o pedido', 'Hacer el pedido'],
  'The order is paid and shipped at once, so that you see its points arrive.': [
    'O pedido é pago e enviado na hora, para você ver os pontos chegarem.',
    'El pedido se paga y se envía al momento, para que veas llegar los puntos.',
  ],
  'You are not logged in, so this order earns no points.': [
    'Você não entrou na sua conta: este pedido não rende pontos.',
    'No has iniciado sesión: este pedido no da puntos.',
  ],
  each: ['cada', 'cada uno'],
  'One less': ['Um a menos', 'Uno menos'],
  'One more': ['Um a mais', 'Uno más'],
  Remove: ['Remover', 'Quitar'],
  'Discount code': ['Código de desconto', 'Código de descuento'],
  Apply: ['Aplicar', 'Aplicar'],
  Code: ['Código', 'Código'],
  'is applied.': ['aplicado.', 'aplicado.'],
  'Remove code': ['Remover código', 'Quitar código'],
  Discount: ['Desconto', 'Descuento'],
  Subtotal: ['Subtotal', 'Subtotal'],
  Shipping: ['Frete', 'Envío'],
  Tax: ['Impostos', 'Impuestos'],
  Includes: ['Inclui', 'Incluye'],
  Account: ['Conta', 'Cuenta'],
  '{}’s account': ['Conta de {}', 'Cuenta de {}'],
  'Choose who you are. All customers are invented.': [
    'Escolha quem você é. Todos são inventados.',
    'Elige quién eres. Todos son inventados.',
  ],
  'Who you are': ['Quem você é', 'Quién eres'],
  Customer: ['Cliente', 'Cliente'],
  'None (log out)': ['Ninguém (sair)', 'Nadie (salir)'],
  'Log in as this customer': ['Entrar como este cliente', 'Entrar como este cliente'],
  'Your orders': ['Seus pedidos', 'Tus pedidos'],
  'None yet.': ['Nenhum ainda.', 'Todavía ninguno.'],
  Order: ['Pedido', 'Pedido'],
  'Thank you. Your order is {} and {}.': ['Obrigado. Está {} e {}.', 'Gracias. Está {} y {}.'],
  pending: ['pendente', 'pendiente'],
  authorized: ['autorizado', 'autorizado'],
  paid: ['pago', 'pagado'],
  'partially paid': ['parcialmente pago', 'parcialmente pagado'],
  refunded: ['reembolsado', 'reembolsado'],
  'partially refunded': ['parcialmente reembolsado', 'parcialmente reembolsado'],
  voided: ['anulado', 'anulado'],
  expired: ['vencido', 'vencido'],
  shipped: ['enviado', 'enviado'],
  'partly shipped': ['enviado em parte', 'enviado en parte'],
  restocked: ['devolvido ao estoque', 'devuelto al inventario'],
  'not shipped yet': ['ainda não enviado', 'aún no enviado'],
  'It is cancelled.': ['Está cancelado.', 'Está cancelado.'],
  'Pay {} with store credit': ['Pagar {} com crédito na loja', 'Pagar {} con crédito en tienda'],
  ' and {} by card': [' e {} no cartão', ' y {} con tarjeta'],
  'Store credit paid {} of it.': [
    'O crédito na loja pagou {}.',
    'El crédito en tienda ha pagado {}.',
  ],
  'Your points, step by step': ['Seus pontos, passo a passo', 'Tus puntos, paso a paso'],
  'Your order’s progress': ['O caminho do seu pedido', 'El camino de tu pedido'],
  'Order placed in the store': ['Pedido feito na loja', 'Pedido hecho en la tienda'],
  'Webhooks received': ['Webhooks recebidos', 'Webhooks recibidos'],
  'Sent to the loyalty service': ['Enviado ao programa', 'Enviado al programa'],
  'Points given': ['Pontos dados', 'Puntos concedidos'],
  'Balance in the store': ['Saldo na loja', 'Saldo en la tienda'],
  'See your points': ['Ver seus pontos', 'Ver tus puntos'],
  'See your points and rewards': ['Ver seus pontos e recompensas', 'Ver tus puntos y recompensas'],
  'Log in to earn points': ['Entre para ganhar pontos', 'Inicia sesión para ganar puntos'],
  'Log in to earn points next time': [
    'Entre para ganhar pontos na próxima vez',
    'Inicia sesión para ganar puntos la próxima vez',
  ],
  'What you bought': ['O que você comprou', 'Lo que has comprado'],
  'Order #{} with the id {}.': ['Pedido nº {} com o id {}.', 'Pedido n.º {} con el id {}.'],
  'The connector has received {} of {} webhooks of this order.': [
    'O conector recebeu {} de {} webhooks deste pedido.',
    'El conector ha recibido {} de {} webhooks de este pedido.',
  ],
  'Accepted as completed.': ['Aceito como concluído.', 'Aceptado como completado.'],
  'An order without a customer earns no points.': [
    'Um pedido sem cliente não rende pontos.',
    'Un pedido sin cliente no da puntos.',
  ],
  '{} points for this order.': ['{} pontos por este pedido.', '{} puntos por este pedido.'],
  'They are due on {}.': ['Previstos para {}.', 'Previstos para el {}.'],
  'You now have {} points.': ['Você tem agora {} pontos.', 'Ahora tienes {} puntos.'],
  'Not accepted by the loyalty service': [
    'Recusado pelo serviço de fidelidade',
    'Rechazado por el servicio de fidelidad',
  ],
  'It said: {}. The console says what to do.': [
    'Motivo: {}. O console diz o que fazer.',
    'Motivo: {}. La consola dice qué hacer.',
  ],
  'No usable answer yet.': ['Ainda sem resposta válida.', 'Aún sin respuesta válida.'],
  'No usable answer yet, after {} tries.': [
    'Ainda sem resposta válida, após {} tentativas.',
    'Aún sin respuesta válida, tras {} intentos.',
  ],
  'The connector tries again by itself.': [
    'O conector tenta de novo sozinho.',
    'El conector lo intenta de nuevo por sí solo.',
  ],
  'The same order elsewhere': [
    'O mesmo pedido em outros lugares',
    'El mismo pedido en otros sitios',
  ],
  'Order id': ['Id do pedido', 'Id del pedido'],
  'Customer id': ['Id do cliente', 'Id del cliente'],
  'E-mail': ['E-mail', 'Correo electrónico'],
  none: ['nenhum', 'ninguno'],
  'none (guest)': ['nenhum (visitante)', 'ninguno (invitado)'],
  'In the store': ['Na loja', 'En la tienda'],
  'In the console': ['No console', 'En la consola'],
  'In the loyalty service': ['No serviço de fidelidade', 'En el servicio de fidelidad'],
  Products: ['Produtos', 'Productos'],
  Language: ['Idioma', 'Idioma'],
  'A demo shop on this machine. Look behind it:': [
    'Uma loja de demonstração nesta máquina. Veja por trás dela:',
    'Una tienda de demostración en esta máquina. Mira detrás de ella:',
  ],
  'the store': ['a loja', 'la tienda'],
  'the loyalty service': ['o serviço de fidelidade', 'el servicio de fidelidad'],
  'the storefront’s API': ['a API da vitrine', 'la API de la tienda'],
  'the console': ['o console', 'la consola'],
  'Nothing is for sale.': ['Nada está à venda.', 'No hay nada a la venta.'],
  'Create a product in the store.': ['Crie um produto na loja.', 'Crea un producto en la tienda.'],
  'There is no such page': ['Esta página não existe', 'Esta página no existe'],
  'There is no such form': ['Este formulário não existe', 'Este formulario no existe'],
  'This form cannot be sent from here': [
    'Este formulário não pode ser enviado daqui',
    'Este formulario no se puede enviar desde aquí',
  ],
  'This is more than the shop reads': [
    'Isto é mais do que a loja lê',
    'Esto es más de lo que lee la tienda',
  ],
  'The total has changed. Please check it.': [
    'O total mudou. Confira, por favor.',
    'El total ha cambiado. Compruébalo, por favor.',
  ],
};

/** Of the page that is being drawn: drawing waits for nothing. */
let locale: Visit['locale'] = 'en';

export function speak(language: Visit['locale']): void {
  locale = language;
}

/** The same in the language of the page, with the values at their places. */
export function say(english: string, ...values: readonly (string | number)[]): string {
  const translated = locale === 'en' ? undefined : WORDS[english]?.[locale === 'es' ? 1 : 0];
  const said = values.map((one) => (typeof one === 'number' ? number(one) : one));
  return (translated ?? english).replaceAll('{}', () => said.shift() ?? '');
}

const number = (value: number): string =>
  new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }).format(value);

export const date = (iso: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(iso));

export const money = (value: number, currency: string): string =>
  new Intl.NumberFormat(locale, { style: 'currency', currency }).format(value);
