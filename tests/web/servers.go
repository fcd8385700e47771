// HTTP and HTTPS of Go's net/http and crypto/tls. Arguments: the ports, the certificate and its key.
package main

import (
	"fmt"
	"net/http"
	"os"
)

func main() {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "served %s\n", r.Host) })
	go http.ListenAndServe("127.0.0.1:"+os.Args[1], handler)
	http.ListenAndServeTLS("127.0.0.1:"+os.Args[2], os.Args[3], os.Args[4], handler)
}
