#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>
int x;pthread_mutex_t m=PTHREAD_MUTEX_INITIALIZER;void*w(void*a){pthread_mutex_lock(&m);x++;pthread_mutex_unlock(&m);return 0;}
int main(){pthread_t t,u;pthread_create(&t,0,w,0);pthread_detach(t);pthread_create(&u,0,w,0);pthread_detach(u);pthread_exit(0);}
