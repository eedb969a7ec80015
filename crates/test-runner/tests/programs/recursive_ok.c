#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>
pthread_mutex_t m; int n; void f(int d){pthread_mutex_lock(&m); n++; if(d) f(d-1); pthread_mutex_unlock(&m);} void*w(void*a){f(2);return 0;}
int main(){pthread_mutexattr_t a;pthread_mutexattr_init(&a);pthread_mutexattr_settype(&a,PTHREAD_MUTEX_RECURSIVE);pthread_mutex_init(&m,&a);pthread_t t,u;pthread_create(&t,0,w,0);pthread_create(&u,0,w,0);pthread_join(t,0);pthread_join(u,0);return n==6?0:1;}
