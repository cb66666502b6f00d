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
  'Thank you. It is paid and fulfilled.': [
    'Obrigado. Está pago e enviado.',
    'Gracias. Está pagado y enviado.',
  ],
  'It is cancelled.': ['Está cancelado.', 'Está cancelado.'],
  'Pay {} with store credit': ['Pagar {} com crédito na loja', 'Pagar {} con crédito en tienda'],
  ' and {} by card': [' e {} no cartão', ' y {} con tarjeta'],
  'Store credit paid {} of it.': [
    'O crédito na loja pagou {}.',
    'El crédito en tienda ha pagado {}.',
  ],
  'Your points arrive': ['Seus pontos chegam', 'Tus puntos llegan'],
  'Your order’s progress': ['O caminho do seu pedido', 'El camino de tu pedido'],
  'Order placed in the store': ['Pedido feito na loja', 'Pedido hecho en la tienda'],
  'Webhooks received': ['Webhooks recebidos', 'Webhooks recibidos'],
  'Sent to the loyalty service': ['Enviado ao programa', 'Enviado al programa'],
  'Points given': ['Pontos dados', 'Puntos concedidos'],
  'Balance in the store': ['Saldo na loja', 'Saldo en la tienda'],
  'See your points': ['Ver seus pontos', 'Ver tus puntos'],
  'Log in to earn points next time': [
    'Entre para ganhar pontos na próxima vez',
    'Inicia sesión para ganar puntos la próxima vez',
  ],
  'What you bought': ['O que você comprou', 'Lo que has comprado'],
};

/** Of the page that is being drawn: drawing waits for nothing. */
let locale: Visit['locale'] = 'en';

export function speak(language: Visit['locale']): void {
  locale = language;
}

/** The same in the language of the page, with the value at its place. */
export function say(english: string, value = ''): string {
  const translated = locale === 'en' ? undefined : WORDS[english]?.[locale === 'es' ? 1 : 0];
  return (translated ?? english).replace('{}', value);
}

export const money = (value: number, currency: string): string =>
  new Intl.NumberFormat(locale, { style: 'currency', currency }).format(value);
