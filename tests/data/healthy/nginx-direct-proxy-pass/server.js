const http = require("node:http");

const server = http.createServer((req, res) => {
  res.writeHead(200, { "Content-Type": "application/json" });
  res.end(JSON.stringify({ path: req.url }));
});

server.listen(3000, () => {
  console.log("listening on 3000");
});

process.on("SIGTERM", () => {
  server.close(() => process.exit(0));
});
