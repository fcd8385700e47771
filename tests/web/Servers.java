// HTTP and HTTPS of the JDK: com.sun.net.httpserver, and JSSE. Arguments: the ports, and a PKCS12 file without a secret.
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.FileInputStream;
import java.net.InetSocketAddress;
import java.security.KeyStore;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

class Servers {
  public static void main(String[] arguments) throws Exception {
    HttpHandler handler = exchange -> {
      byte[] answer = ("served " + exchange.getRequestHeaders().getFirst("Host") + "\n").getBytes();
      exchange.sendResponseHeaders(200, answer.length);
      exchange.getResponseBody().write(answer);
      exchange.close();
    };
    HttpServer http = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])), 64);
    http.createContext("/", handler);
    http.setExecutor(Executors.newCachedThreadPool());
    http.start();

    char[] none = "secret".toCharArray();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    keys.load(new FileInputStream(arguments[2]), none);
    KeyManagerFactory factory = KeyManagerFactory.getInstance("SunX509");
    factory.init(keys, none);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(factory.getKeyManagers(), null, null);
    HttpsServer https = HttpsServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[1])), 64);
    https.setHttpsConfigurator(new HttpsConfigurator(context));
    https.createContext("/", handler);
    https.setExecutor(Executors.newCachedThreadPool());
    https.start();
  }
}
