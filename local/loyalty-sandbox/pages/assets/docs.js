const docs = document.getElementById('docs');

const ui = window.SwaggerUIBundle({
  domNode: docs,
  url: '/openapi.json',
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  // The gaps of the contract stand in it as x-not-shown.
  showExtensions: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  defaultModelRendering: 'model',
  validatorUrl: null,
  onComplete: () => ui.preauthorizeBasic('basic', docs.dataset.token, docs.dataset.key),
});
