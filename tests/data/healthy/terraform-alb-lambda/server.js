const http = require("node:http");
const { route } = require("./route");

exports.handler = async (event) => route(event);

// for trying things at home only
if (require.main === module) {
  const server = http.createServer((req, res) => route(req).then((body) => res.end(body)));
  server.keepAliveTimeout = 5000;
  server.listen(8080);
}
