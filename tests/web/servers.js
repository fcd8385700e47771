// HTTP and HTTPS of Node. Arguments: three ports, the certificate and its key. The second port has the lenient parser.
const fs = require("fs");
const [http, lenient, https, cert, key] = process.argv.slice(2);
const serve = (request, response) => response.end(`served ${request.headers.host}\n`);
require("http").createServer(serve).listen(http, "127.0.0.1");
require("http").createServer({insecureHTTPParser: true}, serve).listen(lenient, "127.0.0.1");
require("https").createServer({cert: fs.readFileSync(cert), key: fs.readFileSync(key)}, serve).listen(https, "127.0.0.1");
