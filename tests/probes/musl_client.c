/* musl_client HOST PORT: requests a web page, with musl's resolver and no other library. Exits with 0 for status 200. */
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char** argv) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
  if (argc != 3) return 2;
  const int failed = getaddrinfo(argv[1], argv[2], &hints, &found);
  if (failed != 0) {
    fprintf(stderr, "musl: %s: %s\n", argv[1], gai_strerror(failed));
    return 3;
  }
  const int fd = socket(found->ai_family, SOCK_STREAM, 0);
  if (fd < 0 || connect(fd, found->ai_addr, found->ai_addrlen) != 0) {
    perror("musl: connect");
    return 4;
  }
  char text[4096];
  const int size = snprintf(text, sizeof text, "GET / HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", argv[1]);
  if (write(fd, text, size) != size) return 5;
  const ssize_t got = read(fd, text, sizeof text - 1);
  if (got <= 0) return 6;
  text[got] = '\0';
  return strstr(text, " 200 ") == NULL ? 7 : 0;
}
